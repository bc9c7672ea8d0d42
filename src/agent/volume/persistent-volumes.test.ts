import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { FakeMounter } from '../../../test/fakes/fake-mounter.ts';
import { noSubPaths } from '../../../test/fakes/fake-volume-driver.ts';
import { noObjects } from '../../../test/fakes/no-objects.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import { accept } from '../../base/outcome.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
} from '../../core/api/persistent-volume.ts';
import type { Pod } from '../../core/api/pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type {
  VolumeDriver,
  VolumeOutcome,
  VolumePlace,
  VolumeRequest,
} from '../../ports/storage/volume-driver.ts';
import { VolumeReconciler } from './volume-reconciler.ts';

const UID = toPodUid('uid-1');
const OTHER = toPodUid('uid-2');
const ROOT = '/var/lib/kubelet';
const { signal } = new AbortController();
const logger = silentLogger;

function podWith(claims: readonly string[], device = false): Pod {
  const names = claims.map((_claim, index) => `v${index}`);
  const container = device
    ? sampleContainer({ volumeDevices: names.map((name) => ({ name, devicePath: `/dev/${name}` })) })
    : sampleContainer({ volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })) });
  return samplePod({
    containers: [container],
    volumes: claims.map((claimName, index) => ({
      name: `v${index}`,
      persistentVolumeClaim: { claimName },
    })),
  });
}

function setUp() {
  const files = new FakeFiles();
  const events: string[] = [];
  const requests: VolumeRequest[] = [];
  const removed: VolumePlace[] = [];
  const claims = new Map<string, PersistentVolumeClaim>();
  const volumes = new Map<string, PersistentVolume>();
  const clock = new FakeClock();
  const takes = { mountOptions: false };
  const again = { everyMs: undefined as number | undefined };
  /** What the next volume is refused with. */
  const refusals = new Map<string, VolumeOutcome<never>>();
  const claimEvents: string[] = [];
  const forgotten: string[] = [];
  const lookAgain = () => (again.everyMs === undefined ? {} : { refreshAtMs: clock.now() + again.everyMs });
  const driver: VolumeDriver = {
    plugin: 'kubernetes.io/local-volume',
    source: 'local',
    get takesMountOptions() {
      return takes.mountOptions;
    },
    get refreshes() {
      return again.everyMs !== undefined;
    },
    mount: async (request) => {
      requests.push(request);
      const refusal = refusals.get(request.name);
      if (refusal !== undefined) return refusal;
      request.informClaim?.('Normal', 'Reported', request.name);
      await files.makeDirectory(request.directory, 0o750);
      const prepared = { hostPath: request.directory, readOnly: false, selinuxRelabel: false };
      const gauge = { source: request.name, read: async () => undefined };
      return accept({ prepared, gauge, ...lookAgain() });
    },
    unmount: async (place) => {
      removed.push(place);
      await files.removeTree(place.directory);
    },
    block: {
      map: async (request) => {
        requests.push(request);
        await files.makeDirectory(request.directory, 0o750);
        return accept({ hostPath: request.directory, readOnly: false, ...lookAgain() });
      },
      unmap: async (place) => {
        removed.push(place);
        await files.removeTree(place.directory);
      },
    },
  };
  const found = <T>(object: T | undefined, words: string) =>
    object === undefined
      ? ({ kind: 'failed', message: `${words} not found` } as const)
      : ({ kind: 'found', object } as const);
  const start = () =>
    new VolumeReconciler({
      kit: {
        clock,
        logger,
        events: {
          record: ({ about, reason, message }) => {
            if (about !== 'node' && 'claim' in about)
              claimEvents.push(`${about.claim.metadata.name} ${reason}`);
            else events.push(`${reason}: ${message}`);
          },
        },
      },
      host: { files, mounter: new FakeMounter(files.disk) },
      storage: {
        drivers: [driver],
        flexDrivers: undefined,
        subPaths: { ...noSubPaths, bind: async ({ target }) => ({ hostPath: target }) },
        claims: {
          claim: async (_namespace, name) => found(claims.get(name), `persistentvolumeclaims "${name}"`),
          persistentVolume: async (name) => found(volumes.get(name), `persistentvolumes "${name}"`),
        },
        credentials: undefined,
        attachments: { forgetPod: (uid) => void forgotten.push(uid) },
      },
      objects: noObjects,
      node: sampleNode(),
      readNodeLabels: () => ({ zone: 'a' }),
      onChange: () => {},
      onMounted: () => {},
    });
  return {
    start,
    clock,
    again,
    events,
    claimEvents,
    forgotten,
    refusals,
    requests,
    takeMountOptions: () => {
      takes.mountOptions = true;
    },
    removed,
    claims,
    volumes,
    /** A claim and its volume, bound to each other. */
    bind: (name: string, spec: Partial<PersistentVolumeSpec> = {}, annotations = {}): void => {
      const { namespace } = samplePod().metadata;
      claims.set(name, {
        metadata: { name, namespace, uid: `uid-of-${name}` },
        spec: { volumeName: `pv-${name}` },
        status: { phase: 'Bound' },
      });
      volumes.set(`pv-${name}`, {
        metadata: { name: `pv-${name}`, annotations },
        spec: {
          volumeMode: 'Filesystem',
          claimRef: { uid: `uid-of-${name}` },
          local: { path: '/disk' },
          ...spec,
        },
      });
    },
  };
}

describe('VolumeReconciler with claims', () => {
  it('sets up the volume behind the claim, named after it, once for all names the pod has for it', async () => {
    const { start, bind, requests } = setUp();
    bind('disk', {}, { 'pv.beta.kubernetes.io/gid': '99' });
    const volumes = start();
    const pod = podWith(['disk', 'disk']);
    assert.deepEqual(await volumes.mount(UID, pod, signal), { ok: true });
    const directory = `${ROOT}/pods/uid-1/volumes/kubernetes.io~local-volume/pv-disk`;
    assert.deepEqual(
      requests.map((request) => [request.name, request.directory, request.persistent?.volume.metadata.name]),
      [['pv-disk', directory, 'pv-disk']],
    );
    assert.deepEqual(
      ['v0', 'v1'].map((name) => volumes.prepared(UID).get(name)?.hostPath),
      [directory, directory],
    );
    assert.equal(volumes.sync(UID, pod).ready, true);
    assert.deepEqual(volumes.groups(UID), [99, 99]);
    const subPaths = [{ index: 0, volumeName: 'v1', path: 'part' }];
    const prepared = await volumes.prepareSubPaths(UID, 'web', subPaths, signal);
    assert.deepEqual(prepared.get(0), { hostPath: `${ROOT}/pods/uid-1/volume-subpaths/pv-disk/web/0` });
  });

  it('keeps the gauge of a volume while it is set up, and lets drivers record events of its claim', async () => {
    const { start, bind, claimEvents } = setUp();
    bind('disk');
    const volumes = start();
    const pod = podWith(['disk']);
    assert.equal(volumes.gauges(UID), undefined);
    await volumes.mount(UID, pod, signal);
    const before = volumes.gauges(UID);
    assert.deepEqual([before?.pod, before?.gauges.get('v0')?.source], [pod, 'pv-disk']);
    assert.deepEqual(claimEvents, ['disk Reported']);
    await volumes.unmount(UID, pod, signal);
    assert.deepEqual([volumes.gauges(UID)?.gauges.size, before?.signal.aborted], [0, true]);
  });

  it('wants a pod rejected whose volume the node cannot have, without an event for each volume', async () => {
    const { start, bind, refusals, events, forgotten } = setUp();
    for (const name of ['one', 'two', 'three']) bind(name);
    const stage = 'MountVolume.WaitForAttach';
    refusals.set('pv-two', { ok: false, message: 'Volume not attached', stage, isOverLimit: true });
    refusals.set('pv-three', { ok: false, message: 'Volume not attached', stage });
    const volumes = start();
    const result = await volumes.mount(UID, podWith(['one', 'two', 'three', 'none']), signal);
    assert.deepEqual(!result.ok && result.rejection, {
      reason: 'VolumeAttachmentLimitExceeded',
      message:
        'Node has reached its volume attachment limit, rejecting pod. unmounted volumes=[v1 v2 v3], unattached volumes=[v1 v2], failed to process volumes=[v3]: context deadline exceeded',
    });
    assert.deepEqual(events, []);
    await volumes.unmount(UID, podWith(['two']), signal);
    assert.deepEqual(forgotten, [UID], 'no pod waits for them any more');
    refusals.set('pv-two', { ok: false, message: 'Volume not attached', stage });
    const waits = await volumes.mount(OTHER, podWith(['two']), signal);
    assert.ok(!waits.ok && waits.rejection === undefined);
    assert.match(events[0] ?? '', /^FailedMount: MountVolume.WaitForAttach failed for volume "pv-two"/);
  });

  it('retries a claim that is not bound, and reports all of them in one event', async () => {
    const { start, bind, claims, events, clock } = setUp();
    bind('late');
    const bound = claims.get('late')!;
    claims.set('late', { ...bound, status: { phase: 'Pending' } });
    const volumes = start();
    const pod = podWith(['late', 'none']);
    const result = await volumes.mount(UID, pod, signal);
    const { namespace } = pod.metadata;
    assert.deepEqual(events, [
      `FailedMount: Unable to attach or mount volumes: unmounted volumes=[v0 v1], unattached volumes=[], failed to process volumes=[v0 v1]: error processing PVC ${namespace}/late: PVC is not bound; error processing PVC ${namespace}/none: failed to fetch PVC from API server: persistentvolumeclaims "none" not found`,
    ]);
    assert.ok(!result.ok);
    assert.equal(result.message, `volume "v0": error processing PVC ${namespace}/late: PVC is not bound`);
    for (let i = 0; i < 10; i++) await volumes.mount(UID, pod, signal);
    const again = await volumes.mount(UID, pod, signal);
    assert.ok(!again.ok && again.retryAtMs - clock.now() <= 5_000, 'no event reports that a claim was bound');
    claims.set('late', bound);
    await volumes.mount(UID, pod, signal);
    assert.equal(volumes.prepared(UID).has('v0'), true);
  });

  it('says that a bound volume is gone', async () => {
    const { start, bind, volumes: stored, events } = setUp();
    bind('disk');
    stored.clear();
    await start().mount(UID, podWith(['disk']), signal);
    assert.match(
      events[0]!,
      /disk: failed to fetch PV pv-disk from API server: persistentvolumes "pv-disk" not found$/,
    );
  });

  it('refuses a volume that is for other nodes', async () => {
    const { start, bind, events } = setUp();
    const term = (value: string) => ({
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] }],
      },
    });
    bind('here', { nodeAffinity: term('a') });
    bind('there', { nodeAffinity: term('b') });
    const volumes = start();
    assert.equal((await volumes.mount(UID, podWith(['here']), signal)).ok, true);
    assert.equal((await volumes.mount(OTHER, podWith(['there']), signal)).ok, false);
    assert.deepEqual(events, [
      'FailedMount: MountVolume.NodeAffinity check failed for volume "pv-there" : no matching NodeSelectorTerms',
    ]);
  });

  it('refuses mount options where the kind takes none', async () => {
    const { start, bind, events } = setUp();
    bind('disk', { mountOptions: ['soft'] });
    await start().mount(UID, podWith(['disk']), signal);
    assert.deepEqual(events, [
      'FailedMount: MountVolume.MountOptionSupport check failed for volume "pv-disk" : mount options are not supported for this volume type',
    ]);
  });

  it('refuses mount options that would make mount(8) do something else', async () => {
    const { start, bind, events, requests, takeMountOptions } = setUp();
    takeMountOptions();
    bind('disk', { mountOptions: ['noatime', 'ro,remount'] });
    bind('plain', { mountOptions: ['noatime'] });
    await start().mount(UID, podWith(['disk', 'plain']), signal);
    assert.deepEqual(events, [
      'FailedMount: MountVolume.MountOptionSupport check failed for volume "pv-disk" : mount option "remount" is not passed on: it changes what mount(8) does',
    ]);
    assert.deepEqual(
      requests.map(({ name }) => name),
      ['pv-plain'],
    );
  });

  it('gives a volume for one pod to one pod, also when that is known from disk alone', async () => {
    const { start, bind, events } = setUp();
    bind('disk', { accessModes: ['ReadWriteOncePod'] });
    const before = start();
    const pod = podWith(['disk']);
    const [first, second] = await Promise.all([
      before.mount(UID, pod, signal),
      before.mount(OTHER, pod, signal),
    ]);
    assert.deepEqual([first.ok, second.ok], [true, false]);
    const after = start();
    assert.equal((await after.mount(OTHER, pod, signal)).ok, false);
    const sentence =
      'FailedMount: MountVolume.SetUp failed for volume "pv-disk" : volume uses the ReadWriteOncePod access mode and is already in use by another pod';
    assert.deepEqual(events, [sentence, sentence]);
    await after.unmount(UID, pod, signal);
    assert.equal((await after.mount(OTHER, pod, signal)).ok, true);
  });

  it('hands out a block volume as a device and takes it away by its link', async () => {
    const { start, bind, removed } = setUp();
    bind('disk', { volumeMode: 'Block' });
    const volumes = start();
    const pod = podWith(['disk'], true);
    assert.deepEqual(await volumes.mount(UID, pod, signal), { ok: true });
    const link = `${ROOT}/pods/uid-1/volumeDevices/kubernetes.io~local-volume/pv-disk`;
    assert.deepEqual([...volumes.preparedBlocks(UID)], [['v0', { hostPath: link, readOnly: false }]]);
    assert.equal(volumes.sync(UID, pod).ready, true);
    await start().unmount(UID, samplePod(), signal);
    assert.deepEqual(removed, [{ podUid: 'uid-1', name: 'pv-disk', directory: link }]);
  });

  for (const device of [false, true])
    it(`reads a claim again where the driver wants that, ${device ? 'also for a device' : 'with what it says by then'}`, async () => {
      const world = setUp();
      world.again.everyMs = 60_000;
      world.bind('big', { capacity: { storage: '1Gi' }, ...(device ? { volumeMode: 'Block' } : {}) });
      const volumes = world.start();
      assert.equal((await volumes.mount(UID, podWith(['big'], device), signal)).ok, true);
      world.bind('big', { capacity: { storage: '2Gi' }, ...(device ? { volumeMode: 'Block' } : {}) });
      await world.clock.advance(60_000);
      const seen = world.requests.map(
        ({ persistent, isRemount }) => `${persistent?.volume.spec.capacity?.['storage']} ${isRemount}`,
      );
      assert.deepEqual(seen, ['1Gi false', '2Gi true']);
      volumes.close();
    });
});
