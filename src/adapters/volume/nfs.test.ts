import assert from 'node:assert/strict';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { mountFailure, RecordingMounter } from '../../../test/fakes/recording-mounter.ts';
import { claimRequest } from '../../../test/samples/sample-request.ts';
import { AgentError } from '../../base/errors.ts';
import type { Volume } from '../../core/api/volume.ts';
import { NfsDriver } from './nfs.ts';

const PLUGIN = 'kubernetes.io/nfs';
let rootDir: string;
let clock: FakeClock;
let mounter: RecordingMounter;
let driver: NfsDriver;

beforeEach(async () => {
  rootDir = await mkdtemp(join(tmpdir(), 'nfs-'));
  clock = new FakeClock();
  mounter = new RecordingMounter();
  driver = new NfsDriver({ mounter, clock });
});
afterEach(() => rm(rootDir, { recursive: true }));

function inline(nfs: Volume['nfs'] & object) {
  const { persistent: _behind, ...request } = claimRequest({ rootDir, plugin: PLUGIN, spec: {} });
  return { ...request, volume: { name: 'data', nfs } };
}

describe('NfsDriver', () => {
  it('mounts the path of the server in the place of the pod, once', async () => {
    const wanted = inline({ server: 'files.example', path: '/exports/a' });
    const result = await driver.mount(wanted);
    assert.deepEqual(result.ok && result.value.prepared, {
      hostPath: wanted.directory,
      readOnly: false,
      selinuxRelabel: false,
    });
    const mount = {
      fsType: 'nfs',
      source: 'files.example:/exports/a',
      target: wanted.directory,
      options: [],
    };
    assert.deepEqual(mounter.mounts.get(wanted.directory), mount);
    await driver.mount(wanted);
    assert.deepEqual(mounter.calls, ['mount nfs']);
  });

  it('writes the address of a server with colons in brackets', async () => {
    const wanted = inline({ server: 'fd00::1', path: '/', readOnly: true });
    await driver.mount(wanted);
    const { source, options } = mounter.mounts.get(wanted.directory) ?? {};
    assert.deepEqual([source, options], ['[fd00::1]:/', ['ro']]);
  });

  it('takes the options of a persistent volume, each once and sorted, and the claim’s access', async () => {
    const wanted = claimRequest({
      rootDir,
      plugin: PLUGIN,
      readOnly: true,
      spec: { nfs: { server: 's', path: '/' }, mountOptions: ['soft', 'nolock', 'soft'] },
    });
    const result = await driver.mount(wanted);
    assert.equal(result.ok && result.value.prepared.readOnly, true);
    assert.deepEqual(mounter.mounts.get(wanted.directory)?.options, ['nolock', 'ro', 'soft']);
  });

  it('hostile server or path: is refused before anything is made or mounted', async () => {
    const odd = ['--fstab=/var/lib/kubelet/pods/u/a', '-o', '', 'a b', 'a\nb', 'a,b', '../x'];
    for (const server of odd) {
      const wanted = inline({ server, path: '/' });
      assert.deepEqual(await driver.mount(wanted), {
        ok: false,
        message: `invalid nfs server ${JSON.stringify(server)}`,
      });
    }
    for (const path of ['', 'exports', '-x', '/a\n/b'])
      assert.equal((await driver.mount(inline({ server: 's', path }))).ok, false);
    assert.deepEqual(mounter.calls, []);
    await assert.rejects(access(inline({ server: 's', path: '/' }).directory));
  });

  it('leaves no place behind when the server cannot be reached', async () => {
    const wanted = inline({ server: 's', path: '/' });
    mounter.failure = mountFailure('cannot mount nfs: timed out');
    await assert.rejects(driver.mount(wanted), /timed out/);
    await assert.rejects(access(wanted.directory));
  });

  it('unmounts by force what a dead server holds up for a minute', async () => {
    const wanted = inline({ server: 's', path: '/' });
    await driver.mount(wanted);
    const { unmount } = mounter;
    mounter.unmount = (target, signal, force) => {
      if (force) return unmount.call(mounter, target, signal, force);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new AgentError('cancelled', 'no longer wanted')));
      });
    };
    const removed = driver.unmount(wanted);
    await clock.settle();
    await clock.advance(60_000);
    await removed;
    assert.deepEqual(mounter.calls, ['mount nfs', 'force unmount']);
    await assert.rejects(access(wanted.directory));
  });
});
