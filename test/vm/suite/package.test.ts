/**
 * The Debian package under systemd: installed, upgraded with a running pod that
 * is not touched, removed, purged. It is packed here from what `make build`
 * left, without compression: an emulated machine takes long to pack it.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeSingleExecutable } from '../../../scripts/dist/single-executable.ts';
import { stageControl, stagePackage } from '../../../scripts/dist/stage.ts';
import { containerdEndpoint } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';

const HAS_SYSTEMD = existsSync('/run/systemd/system');
const HAS_CGROUP_V2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
const ROOT = join(import.meta.dirname, '..', '..', '..');
const UNIT = 'kubelet.service';
const MANIFEST = '/etc/kubernetes/manifests/steady.json';
const PATIENCE = Number(process.env['KUBELET_TS_PATIENCE'] ?? 1);
const CGROUP_DRIVER = process.env['KUBELET_TS_CGROUP_DRIVER'] ?? 'systemd';

const run = async (program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args)).stdout.trim();

const show = (property: string): Promise<string> =>
  run('systemctl', 'show', '--value', `--property=${property}`, '--', UNIT);

/** Waits for what can be observed; fails with the unit's log. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000 * PATIENCE;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline)
      assert.fail(`${what}: not seen in time\n${await run('journalctl', '-n', '60', '-u', UNIT)}`);
    await delay(500);
  }
}

function makePackage(work: string, version: string): string {
  const root = join(work, version);
  const node = readFileSync(join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node'));
  stagePackage(root, {
    executable: makeSingleExecutable({ root: ROOT, node, isOwn: true }),
    completions: { bash: '', zsh: '', fish: '' },
    ...{ manualPage: '', sbom: '{}', copyright: '', changelog: '', debianChangelog: '' },
  });
  const debian = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const values = {
    VERSION: version,
    ARCHITECTURE: debian,
    KUBERNETES_VERSION: '1.36.4',
    INSTALLED_SIZE: '1',
  };
  stageControl(root, values);
  const output = join(work, `${version}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', root, output], { stdio: 'pipe' });
  rmSync(root, { recursive: true });
  return output;
}

interface Listed {
  readonly metadata: { readonly uid: string };
  readonly status: {
    readonly containerStatuses?: readonly {
      readonly containerID?: string;
      readonly restartCount: number;
      readonly ready: boolean;
    }[];
  };
}

/** The one pod, as the installed program shows it. */
async function readPod(): Promise<string> {
  const { items } = JSON.parse(await run('/usr/bin/kubelet', 'get', 'pods', '-o', 'json')) as {
    items: Listed[];
  };
  const [pod, ...others] = items;
  const [status] = pod?.status.containerStatuses ?? [];
  assert.ok(pod && others.length === 0 && status?.ready && status.containerID);
  return `${pod.metadata.uid} ${status.containerID} ${status.restartCount}`;
}

const install = (file: string): Promise<string> =>
  run('dpkg', '--force-confold', '--force-depends', '--install', file);

describe('the Debian package under systemd', { skip: !HAS_SYSTEMD && 'systemd does not run here' }, () => {
  let work: string;
  let identity: string;

  before(() => {
    work = mkdtempSync(join(tmpdir(), 'kubelet-package-'));
  });

  after(async () => {
    await run('systemctl', 'stop', UNIT).catch(() => undefined);
    rmSync(work, { recursive: true });
  });

  it('starts the kubelet when it is installed; a pod comes from a manifest', async () => {
    await install(makePackage(work, '1.0.0'));
    const file = '/etc/kubernetes/kubelet.yaml';
    const text = readFileSync(file, 'utf8')
      .replace(/^containerRuntimeEndpoint: \S+/m, `containerRuntimeEndpoint: ${containerdEndpoint()}`)
      .replace(/^cgroupDriver: \S+/m, `cgroupDriver: ${CGROUP_DRIVER}`);
    // As shipped it refuses cgroup v1, which a machine made of namespaces may have from its host.
    writeFileSync(file, HAS_CGROUP_V2 ? text : `${text}failCgroupV1: false\n`);
    await run('systemctl', 'restart', '--no-block', UNIT);
    const main = container('main', ['/bin/tini', '--', 'sleep', 'infinity'], {});
    await mkdir('/etc/kubernetes/manifests', { recursive: true });
    await writeFile(MANIFEST, JSON.stringify(samplePod('steady', { containers: [main] })));
    await until('the pod to be ready', async () => (await readPod()) !== '');
    identity = await readPod();
    assert.equal(await show('ActiveState'), 'active');
    assert.equal(await show('UnitFileState'), 'enabled');
    assert.deepEqual([await show('KillMode'), await show('OOMPolicy')], ['process', 'continue']);
  });

  it('restarts the kubelet when it is upgraded, and touches neither pod nor configuration', async () => {
    const pid = await show('MainPID');
    const configuration = readFileSync('/etc/kubernetes/kubelet.yaml', 'utf8');
    await install(makePackage(work, '2.0.0'));
    await until('the new kubelet', async () => {
      return ![pid, '0'].includes(await show('MainPID')) && (await show('ActiveState')) === 'active';
    });
    await until('the pod to be seen again', async () => (await readPod()) !== '');
    assert.equal(await readPod(), identity);
    assert.equal(readFileSync('/etc/kubernetes/kubelet.yaml', 'utf8'), configuration);
  });

  it('stops the kubelet when it is removed; the pod runs on', async () => {
    const containerId = identity.split(' ')[1]?.replace('containerd://', '') ?? '';
    await run('dpkg', '--remove', 'kubelet-ts');
    assert.equal(await show('ActiveState'), 'inactive');
    assert.ok(!existsSync('/usr/bin/kubelet'));
    assert.ok(existsSync('/var/lib/kubelet/pods'));
    const processes = await run('pgrep', '-af', 'containerd-shim|sleep infinity');
    assert.match(processes, /sleep infinity/, `the container ${containerId} is gone`);
  });

  it('takes the pod over when it is installed again, and leaves nothing once it ended and is purged', async () => {
    await install(join(work, '2.0.0.deb'));
    await until('the pod to be seen again', async () => (await readPod()) !== '');
    assert.equal(await readPod(), identity);
    rmSync(MANIFEST);
    await until('the pod to be gone', async () =>
      /"items": ?\[\]/.test(await run('/usr/bin/kubelet', 'get', 'pods', '-o', 'json')),
    );
    await run('dpkg', '--purge', 'kubelet-ts');
    for (const path of ['/etc/kubernetes', '/etc/default/kubelet', '/var/lib/kubelet'])
      assert.ok(!existsSync(path), path);
  });
});
