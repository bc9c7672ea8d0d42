/**
 * A kill at every call that a driver makes about mounts: whatever is there
 * then, the next life sets the volume up, or takes it away, completely; what
 * is to outlive the pod does so.
 */
import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { noObjects } from '../../../test/fakes/no-objects.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { RecordingMounter } from '../../../test/fakes/recording-mounter.ts';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import { claimRequest } from '../../../test/samples/sample-request.ts';
import { accept } from '../../base/outcome.ts';
import type { PersistentVolumeSpec } from '../../core/api/persistent-volume.ts';
import type { Volume } from '../../core/api/volume.ts';
import type { Mounter } from '../../ports/host/mounter.ts';
import type { VolumeDriver, VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { TreeMeter } from '../linux/stats/tree-meter.ts';
import { NetworkDiskDriver } from './disk/network-disk-driver.ts';
import { EmptyDirDriver } from './empty-dir.ts';
import { LocalDriver } from './local.ts';
import { NfsDriver } from './nfs.ts';
import { createSecretDriver } from './secret.ts';

type When = 'before' | 'after';

let base: string;
let rootDir: string;
let disk: string;
let table: RecordingMounter;
let loops: Map<string, string>;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'driver-kills-'));
  rootDir = join(base, 'kubelet');
  disk = join(base, 'disk');
  table = new RecordingMounter();
  loops = new Map();
  await mkdir(disk);
  await mkdir(rootDir);
  await writeFile(join(disk, 'precious'), 'data');
});
afterEach(() => rm(base, { recursive: true }));

/** The same mount table, until the call of that number: there the process ends. */
function dyingMounter(step: number, when: When): { mounter: Mounter; died: Promise<'died'> } {
  const { promise: died, resolve } = Promise.withResolvers<'died'>();
  let calls = 0;
  const mounter = new Proxy<Mounter>(table, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const isLast = calls++ === step;
        const result = isLast && when === 'before' ? undefined : await Reflect.apply(method, target, args);
        if (!isLast) return result;
        resolve('died');
        return new Promise(() => {});
      };
    },
  });
  return { mounter, died };
}

const loopDevices = {
  find: async (file: string) => loops.get(file),
  attach: async (file: string) => void loops.set(file, '/dev/loop7'),
  detach: async () => loops.clear(),
};

interface Subject {
  readonly name: string;
  readonly start: (mounter: Mounter) => VolumeDriver;
  readonly request: () => VolumeRequest;
  readonly isBlock?: boolean;
}

const clock = new FakeClock();
const trees = new TreeMeter(clock);
const claimed = (plugin: string, spec: PersistentVolumeSpec) => (): VolumeRequest =>
  claimRequest({ rootDir, plugin, spec: { ...spec, ...('local' in spec ? { local: { path: disk } } : {}) } });

function inline(plugin: string, volume: Omit<Volume, 'name'>): () => VolumeRequest {
  return () => {
    const { persistent: _none, ...request } = claimRequest({ rootDir, plugin, spec: {} });
    return { ...request, volume: { name: 'data', ...volume } };
  };
}

const local = (mounter: Mounter): VolumeDriver =>
  new LocalDriver({ mounter, clock, node: { rootDir }, loops: loopDevices });
const LOCAL = 'kubernetes.io/local-volume';

/** Its connections are tried elsewhere; here only the mounts count. */
const networkDisk = (mounter: Mounter): VolumeDriver => {
  const attach = async () => accept(disk);
  const wanted = { name: 'disk', place: 'disk-1', fsType: 'ext4', readOnly: false, attach };
  return new NetworkDiskDriver({
    kit: { clock, logger: new RecordingLogger() },
    attachments: undefined,
    connector: {
      plugin: 'kubernetes.io/fc',
      source: 'fc',
      isMeasured: false,
      read: async () => accept(wanted),
      detach: async () => {},
    },
    mounter,
    node: { rootDir, selinuxEnabled: false },
    loops: loopDevices,
    host: { run: async () => 'TYPE=ext4', readMounts: async () => '' },
  });
};

const SUBJECTS: readonly Subject[] = [
  { name: 'a local directory', start: local, request: claimed(LOCAL, { local: { path: '' } }) },
  {
    name: 'a local directory that is only read',
    start: local,
    request: claimed(LOCAL, { local: { path: '' }, mountOptions: ['ro'] }),
  },
  {
    name: 'a local device',
    start: local,
    request: claimed(LOCAL, { local: { path: '' }, volumeMode: 'Block' }),
    isBlock: true,
  },
  {
    name: 'nfs',
    start: (mounter) => new NfsDriver({ mounter, clock }),
    request: claimed('kubernetes.io/nfs', { nfs: { server: 's', path: '/' } }),
  },
  {
    name: 'a network disk',
    start: networkDisk,
    request: claimed('kubernetes.io/fc', { fc: { wwids: ['1'] } }),
  },
  {
    name: 'a network disk as a device',
    start: networkDisk,
    request: claimed('kubernetes.io/fc', { fc: { wwids: ['1'] }, volumeMode: 'Block' }),
    isBlock: true,
  },
  {
    name: 'emptyDir in memory',
    start: (mounter) => new EmptyDirDriver({ mounter, trees, node: sampleNode({ rootDir }) }),
    request: inline('kubernetes.io/empty-dir', { emptyDir: { medium: 'Memory' } }),
  },
  {
    name: 'a Secret',
    start: (mounter) =>
      createSecretDriver({
        mounter,
        clock,
        trees,
        node: sampleNode({ rootDir }),
        objects: { ...noObjects, secret: async () => ({ kind: 'found', data: { key: 'v' } }) },
      }),
    request: inline('kubernetes.io/secret', { secret: { secretName: 's', defaultMode: 0o600 } }),
  },
];

const setUp = (driver: VolumeDriver, { isBlock, request }: Subject): Promise<unknown> =>
  isBlock === true ? driver.block!.map(request()) : driver.mount(request());
const takeAway = (driver: VolumeDriver, { isBlock, request }: Subject): Promise<unknown> =>
  isBlock === true ? driver.block!.unmap(request()) : driver.unmount(request());

async function assertGone({ request }: Subject, what: string): Promise<void> {
  assert.deepEqual([...table.mounts.keys()], [], what);
  assert.equal(loops.size, 0, what);
  await assert.rejects(access(request().directory), what);
  assert.deepEqual(await readdir(disk), ['precious'], what);
}

/** Does `work` with a kill at every call there is. */
async function atEveryCall(
  work: (dying: ReturnType<typeof dyingMounter>) => Promise<boolean>,
): Promise<number> {
  let kills = 0;
  for (const when of ['before', 'after'] as const)
    for (let step = 0; await work(dyingMounter(step, when)); step++) kills++;
  return kills;
}

describe('kill -9 at every call about mounts', () => {
  for (const subject of SUBJECTS) {
    it(`of setting up ${subject.name}`, async () => {
      const kills = await atEveryCall(async ({ mounter, died }) => {
        const end = await Promise.race([setUp(subject.start(mounter), subject), died]);
        await setUp(subject.start(table), subject);
        await takeAway(subject.start(table), subject);
        await assertGone(subject, 'set up again, then taken away');
        return end === 'died';
      });
      assert.ok(kills > 1, `${kills} kills`);
    });

    it(`of taking away ${subject.name}`, async () => {
      const kills = await atEveryCall(async ({ mounter, died }) => {
        await setUp(subject.start(table), subject);
        const end = await Promise.race([takeAway(subject.start(mounter), subject), died]);
        await takeAway(subject.start(table), subject);
        await assertGone(subject, 'taken away once more');
        return end === 'died';
      });
      assert.ok(kills > 1, `${kills} kills`);
    });
  }

  for (const subject of SUBJECTS)
    it(`of setting up ${subject.name}, which no pod wants afterwards`, async () => {
      await atEveryCall(async ({ mounter, died }) => {
        const end = await Promise.race([setUp(subject.start(mounter), subject), died]);
        await takeAway(subject.start(table), subject);
        await assertGone(subject, 'taken away at once');
        return end === 'died';
      });
    });
});
