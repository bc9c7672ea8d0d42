import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { mountFailure, RecordingMounter } from '../../../test/fakes/recording-mounter.ts';
import { claimRequest, type SampleClaim } from '../../../test/samples/sample-request.ts';
import type { PersistentVolumeSpec } from '../../core/api/persistent-volume.ts';
import { LocalDriver } from './local.ts';

const PLUGIN = 'kubernetes.io/local-volume';
let base: string;
let rootDir: string;
let disk: string;
let mounter: RecordingMounter;
let attached: Map<string, string>;
let driver: LocalDriver;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'local-'));
  rootDir = join(base, 'kubelet');
  disk = join(base, 'disk');
  await mkdir(disk);
  await mkdir(rootDir);
  mounter = new RecordingMounter();
  attached = new Map();
  driver = new LocalDriver({
    mounter,
    node: { rootDir },
    clock: new FakeClock(),
    loops: {
      find: async (file) => attached.get(file),
      attach: async (file) => void attached.set(file, '/dev/loop7'),
      detach: async (device) => {
        for (const [file, loop] of attached) if (loop === device) attached.delete(file);
      },
    },
  });
});
afterEach(() => rm(base, { recursive: true }));

const request = (sample: Partial<SampleClaim> = {}, spec: PersistentVolumeSpec = {}) =>
  claimRequest({ rootDir, plugin: PLUGIN, ...sample, spec: { local: { path: disk }, ...spec } });

describe('LocalDriver', () => {
  it('binds the directory into the place of the pod', async () => {
    const wanted = request();
    const result = await driver.mount(wanted);
    assert.deepEqual(result.ok && result.value.prepared, {
      hostPath: wanted.directory,
      readOnly: false,
      selinuxRelabel: true,
    });
    assert.equal(mounter.mounts.get(wanted.directory)?.inode, (await stat(disk)).ino);
    assert.equal((await stat(wanted.directory)).mode & 0o7777, 0o750);
    await driver.mount(wanted);
    assert.deepEqual(mounter.calls, ['bind']);
  });

  it('makes a claim that is only to be read read-only, also after a kill before that', async () => {
    const wanted = request({ readOnly: true }, { mountOptions: ['noexec'] });
    await driver.mount(wanted);
    assert.deepEqual(mounter.mounts.get(wanted.directory)?.options, ['ro', 'noexec']);
    await driver.mount(wanted);
    assert.deepEqual(mounter.calls, ['bind', 'remount', 'remount']);
  });

  it('leaves what is in the directory, and removes only its own empty places', async () => {
    await writeFile(join(disk, 'precious'), 'data');
    const wanted = request();
    await driver.mount(wanted);
    await driver.unmount(wanted);
    assert.deepEqual(await readdir(disk), ['precious']);
    assert.equal(mounter.mounts.size, 0);
    await assert.rejects(access(wanted.directory));
    await driver.unmount(wanted);
  });

  it('removes nothing that lies where a mount should be', async () => {
    const wanted = request();
    await mkdir(wanted.directory, { recursive: true });
    await writeFile(join(wanted.directory, 'precious'), 'data');
    await assert.rejects(driver.unmount(wanted), /cannot remove .*not empty/);
    assert.deepEqual(await readdir(wanted.directory), ['precious']);
  });

  it('keeps the place when the unmount fails', async () => {
    const wanted = request();
    await driver.mount(wanted);
    mounter.failure = mountFailure('busy');
    await assert.rejects(driver.unmount(wanted), /busy/);
    await access(wanted.directory);
  });

  it('gives the directory to the group of the first pod, and warns those that want another', async () => {
    const warnings: string[] = [];
    const group = (fsGroup: number) => ({ securityContext: { fsGroup } });
    const own = process.getgid?.() ?? 0;
    await driver.mount(request({ pod: group(own) }));
    const { gid } = await stat(request().directory);
    assert.equal(gid, own);
    await driver.mount(request({ podUid: 'uid-2', pod: group(own), warnings }));
    const other = request({ podUid: 'uid-3', pod: group(own + 1), warnings });
    await driver.mount(other);
    assert.deepEqual(warnings, [
      `AlreadyMountedVolume: The requested fsGroup is ${own + 1}, but the volume pv-1 has GID ${own}. The volume may not be shareable.`,
    ]);
  });

  const refusals: [name: string, path: () => string, message: () => string][] = [
    ['no path', () => '', () => 'local volume source is nil or local path is not set'],
    ['a missing path', () => `${disk}/none`, () => `path "${disk}/none" does not exist`],
    ['a file', () => `${disk}/file`, () => 'only directory and block device are supported'],
  ];
  for (const [name, path, message] of refusals) {
    it(`refuses ${name}`, async () => {
      await writeFile(join(disk, 'file'), '');
      const result = await driver.mount(request({}, { local: { path: path() } }));
      const stage = 'MountVolume.NewMounter initialization';
      assert.deepEqual(result, { ok: false, message: message(), stage });
    });
  }

  it('refuses a path that leads upwards', async () => {
    const result = await driver.mount(request({}, { local: { path: `${disk}/../disk` } }));
    assert.ok(!result.ok);
    assert.equal(result.message, `invalid path: ${disk}/../disk must not contain '..'`);
  });

  it('hands out a device by a link, a bound file and a loop device, and takes all back', async () => {
    const wanted = request({ readOnly: true }, { volumeMode: 'Block' });
    const map = join(rootDir, 'plugins/kubernetes.io~local-volume/volumeDevices/pv-1');
    const result = await driver.block.map(wanted);
    assert.ok(result.ok);
    const { hostPath, readOnly, gauge } = result.value;
    assert.deepEqual([hostPath, readOnly, gauge?.source], [wanted.directory, true, 'block']);
    assert.equal(await readlink(wanted.directory), disk);
    assert.equal(mounter.mounts.get(`${map}/uid-1`)?.inode, (await stat(disk)).ino);
    assert.deepEqual([...attached.keys()], [`${map}/uid-1`]);
    await driver.block.map(wanted);
    assert.deepEqual(mounter.calls, ['bind']);
    const second = request({ podUid: 'uid-2' }, { volumeMode: 'Block' });
    await driver.block.map(second);
    await driver.block.unmap(wanted);
    assert.deepEqual(await readdir(map), ['uid-2']);
    await driver.block.unmap(second);
    await driver.block.unmap(second);
    assert.deepEqual([mounter.mounts.size, attached.size], [0, 0]);
    await assert.rejects(access(map));
    assert.deepEqual(await readdir(join(wanted.directory, '..')), []);
  });

  it('says once where a device is, not each time it is looked at again', async () => {
    const reasons: string[] = [];
    const wanted = {
      ...request({}, { volumeMode: 'Block' }),
      inform: (reason: string) => void reasons.push(reason),
    };
    await driver.block.map(wanted);
    await driver.block.map({ ...wanted, isRemount: true });
    assert.deepEqual(reasons, ['SuccessfulMountVolume', 'SuccessfulMountVolume']);
  });
});
