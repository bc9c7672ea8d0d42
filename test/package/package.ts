/**
 * The Debian package in a clean root file system: installed, upgraded while a
 * pod of its kubelet runs, removed, purged. There is no systemd: what the unit
 * does is done here, and seen on a real one by test/vm/suite/package.test.ts.
 *
 * usage (root): KUBELET_TS_PACKAGE=FILE.deb node --test test/package/package.ts
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { containerStatus, withNode } from '../integration/node.ts';
import { container, samplePod } from '../integration/sample-pods.ts';

const PACKAGE = process.env['KUBELET_TS_PACKAGE'] ?? '';
const CONFIGURATION = 'etc/kubernetes/kubelet.yaml';
const ENABLED = 'etc/systemd/system/multi-user.target.wants/kubelet.service';

describe('the Debian package in a clean root', { timeout: 600_000 }, () => {
  let work: string;
  let root: string;

  before(() => {
    assert.ok(existsSync(PACKAGE), `no package "${PACKAGE}": run make dist-test`);
    work = mkdtempSync(join(tmpdir(), 'kubelet-package-'));
    root = join(work, 'root');
    execFileSync(join(import.meta.dirname, 'root.sh'), [root], { stdio: ['ignore', 'ignore', 'inherit'] });
  });

  after(() => rmSync(work, { recursive: true, force: true }));

  const inRoot = (...args: string[]): string =>
    execFileSync('chroot', [root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const dpkg = (...args: string[]): string =>
    inRoot(
      '/usr/bin/env',
      'DEBIAN_FRONTEND=noninteractive',
      'sh',
      '-c',
      'exec dpkg "$@" 2>&1',
      'dpkg',
      ...args,
    );
  const has = (path: string): boolean => existsSync(join(root, path));
  const listFiles = (): string[] =>
    globSync('{etc,usr,var/lib/kubelet,lib}/**', { cwd: root, withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
      .filter((name) => !/^\/(etc\/ld.so.cache|var\/lib\/dpkg)/.test(name))
      .sort();

  function install(file: string): string {
    execFileSync('cp', [file, join(root, 'package.deb')]);
    // As unattended upgrades do it: what the administrator has changed stays.
    return dpkg('--force-confold', '--install', '/package.deb');
  }

  /** The same package with a higher version and a change of its configuration, as a release has. */
  function makeNext(): string {
    const tree = join(work, 'next');
    execFileSync('dpkg-deb', ['--raw-extract', PACKAGE, tree]);
    const control = join(tree, 'DEBIAN', 'control');
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*/m, 'Version: 99.0.0'));
    appendFileSync(join(tree, CONFIGURATION), '# of version 99\n');
    const output = join(work, 'next.deb');
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, output], { stdio: 'pipe' });
    rmSync(tree, { recursive: true });
    return output;
  }

  let bare: string[];

  it('installs, with a program that runs, a unit that is enabled, manual page and completions', () => {
    bare = listFiles();
    install(PACKAGE);
    assert.match(inRoot('/usr/bin/kubelet', '--version'), /^Kubernetes v1\.\d+\.\d+\+ts\./);
    for (const path of [CONFIGURATION, 'etc/default/kubelet', 'usr/lib/systemd/system/kubelet.service'])
      assert.ok(has(path), path);
    assert.ok(globSync(ENABLED, { cwd: root }).length === 1, 'the unit is not enabled');
    assert.ok(has('etc/kubernetes/manifests'));
    const names = dpkg('--listfiles', 'kubelet-ts');
    for (const path of ['/usr/share/man/man1/kubelet.1.gz', '/usr/share/bash-completion/completions/kubelet'])
      assert.ok(names.includes(path), path);
    assert.equal(dpkg('--verify', 'kubelet-ts').replace(/.*usr\/share\/(doc|man).*\n/g, ''), '');
  });

  it('is upgraded under a running kubelet: pods and the changes of the administrator stay', async () => {
    appendFileSync(join(root, CONFIGURATION), '# mine\n');
    const program = join(root, 'usr/bin/kubelet');
    await withNode({ program }, async (node) => {
      const main = container('main', ['/bin/tini', '--', 'sleep', 'infinity'], {});
      await node.writeManifest('steady.json', samplePod('steady', { containers: [main] }));
      const before = containerStatus(await node.waitReady('steady'), 'main');
      install(makeNext());
      assert.match(dpkg('--status', 'kubelet-ts'), /^Version: 99\.0\.0$/m);
      // The old program still runs, from a file that is gone; then the unit's restart.
      await node.waitReady('steady');
      await node.kubelet.stop();
      await node.kubelet.start();
      const now = containerStatus(await node.waitReady('steady'), 'main');
      assert.deepEqual([now.containerID, now.restartCount], [before.containerID, 0]);
    });
    assert.match(readFileSync(join(root, CONFIGURATION), 'utf8'), /# mine\n$/);
    assert.ok(!readFileSync(join(root, CONFIGURATION), 'utf8').includes('version 99'));
  });

  it('is removed: only configuration and the data of pods stay', () => {
    mkdirSync(join(root, 'var/lib/kubelet/pods/uid/volumes'), { recursive: true });
    const text = dpkg('--remove', 'kubelet-ts');
    assert.match(text, /pods keep running/);
    assert.ok(!has('usr/bin/kubelet') && !has('usr/lib/systemd/system/kubelet.service'));
    assert.ok(has(CONFIGURATION) && has('var/lib/kubelet/pods/uid/volumes'));
  });

  it('is purged: configuration goes, the data of pods does not', () => {
    const text = dpkg('--purge', 'kubelet-ts');
    assert.match(text, /is left as it is, with the data of pods/);
    assert.ok(!has('etc/kubernetes') && !has('etc/default/kubelet'));
    assert.ok(has('var/lib/kubelet/pods/uid/volumes'));
  });

  it('leaves nothing once there is no pod', () => {
    rmSync(join(root, 'var/lib/kubelet'), { recursive: true });
    install(PACKAGE);
    mkdirSync(join(root, 'var/lib/kubelet/kubelet-ts'), { recursive: true });
    dpkg('--purge', 'kubelet-ts');
    assert.deepEqual(listFiles(), bare);
    assert.ok(!has('var/lib/kubelet') && globSync(ENABLED, { cwd: root }).length === 0);
  });
});
