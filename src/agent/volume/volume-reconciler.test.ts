import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { FakeMounter } from '../../../test/fakes/fake-mounter.ts';
import { FakeVolumeDriver, noSubPaths } from '../../../test/fakes/fake-volume-driver.ts';
import { noClaims } from '../../../test/fakes/no-objects.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import { AgentError } from '../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { Volume } from '../../core/api/volume.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { MountedVolume, VolumeDriver, VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { VolumeReconciler } from './volume-reconciler.ts';

const UID = toPodUid('uid-1');
const logger = silentLogger;
const { signal } = new AbortController();
const DATA = '/var/lib/kubelet/pods/uid-1/volumes/kubernetes.io~empty-dir/data';
const PART = '/var/lib/kubelet/pods/uid-1/volume-subpaths/data/web/0';

function podWith(volumes: readonly Volume[], labels: Readonly<Record<string, string>> = {}): Pod {
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  return samplePod({ containers: [sampleContainer({ volumeMounts })], volumes: [...volumes] }, { labels });
}

const scratch = podWith([{ name: 'data', emptyDir: {} }]);
const config = podWith([{ name: 'cfg', configMap: { name: 'app' } }]);

function setUp() {
  const clock = new FakeClock();
  const files = new FakeFiles();
  const mounter = new FakeMounter(files.disk);
  const recorder = new RecordingEvents();
  const listeners = new Set<() => void>();
  const woken: string[] = [];
  const requests: VolumeRequest[] = [];
  const world = {
    clock,
    files,
    mounter,
    events: recorder.events,
    listeners,
    woken,
    requests,
    /** How the next call about the ConfigMap goes. */
    answer: async (): Promise<Outcome<MountedVolume>> =>
      accept({ prepared: { hostPath: '/cfg', readOnly: true, selinuxRelabel: true } }),
    /** Another agent on the same node. */
    start: () =>
      new VolumeReconciler({
        kit: { clock, logger, events: recorder },
        host: { files, mounter },
        storage: {
          drivers: [new FakeVolumeDriver(files, mounter), contentDriver],
          flexDrivers: undefined,
          subPaths: noSubPaths,
          claims: noClaims,
          credentials: undefined,
          attachments: undefined,
        },
        objects: {
          subscribe: (_reference, onChange) => {
            listeners.add(onChange);
            return { [Symbol.dispose]: () => void listeners.delete(onChange) };
          },
        },
        node: sampleNode(),
        readNodeLabels: () => ({}),
        onChange: (uid) => void woken.push(uid),
        onMounted: () => {},
      }),
  };
  const contentDriver: VolumeDriver = {
    plugin: 'kubernetes.io/configmap',
    source: 'configMap',
    refreshes: true,
    mount: (request) => {
      requests.push(request);
      return world.answer();
    },
    unmount: async () => {},
  };
  return world;
}

describe('VolumeReconciler', () => {
  it('knows nothing of a pod at first: not ready with volumes, ready without, maybe held', () => {
    const volumes = setUp().start();
    assert.deepEqual(volumes.sync(UID, scratch), { ready: false, held: true });
    assert.deepEqual(volumes.sync(UID, samplePod()), { ready: true, held: true });
  });

  it('mounts what containers use, in closed directories, and returns the paths', async () => {
    const { start, mounter, files } = setUp();
    const volumes = start();
    const unused = { name: 'unused', emptyDir: {} };
    const pod = { ...scratch, spec: { ...scratch.spec, volumes: [...scratch.spec.volumes!, unused] } };
    assert.deepEqual(await volumes.mount(UID, pod, signal), { ok: true });
    assert.deepEqual([...mounter.mounts.keys()], [DATA]);
    assert.equal(volumes.prepared(UID).get('data')?.hostPath, DATA);
    assert.deepEqual(volumes.sync(UID, pod), { ready: true, held: true });
    const entry = files.disk.entries.get('/var/lib/kubelet/pods/uid-1/volumes');
    assert.equal(entry?.kind === 'directory' && entry.mode, 0o750);
  });

  it('counts by plugin which volumes are desired and which are mounted', async () => {
    const world = setUp();
    const volumes = world.start();
    const fake = 'kubernetes.io/empty-dir';
    const both = podWith([
      { name: 'data', emptyDir: {} },
      { name: 'cfg', configMap: { name: 'app' } },
      { name: 'claim', persistentVolumeClaim: { claimName: 'c' } },
    ]);
    world.answer = async () => refuse('no');
    await volumes.mount(UID, both, signal);
    assert.deepEqual(volumes.listVolumePlugins(), {
      wanted: [fake, 'kubernetes.io/configmap', undefined],
      ready: [fake],
    });
    await volumes.unmount(UID, both, signal);
    assert.deepEqual(volumes.listVolumePlugins(), { wanted: [], ready: [] });
  });

  it('takes away what another agent mounted, sub-paths first, by the directories alone', async () => {
    const { start, mounter, files } = setUp();
    await start().mount(UID, scratch, signal);
    files.disk.makeDirectory(PART, 0o750);
    await mounter.bind(3, PART);
    const volumes = start();
    // After a kill the pod may be unknown.
    await volumes.unmount(UID, samplePod(), signal);
    assert.deepEqual([...mounter.mounts], []);
    assert.deepEqual(files.disk.namesIn('/var/lib/kubelet/pods/uid-1'), ['plugins', 'volumes']);
    assert.deepEqual(volumes.sync(UID, samplePod()), { ready: true, held: false });
  });

  it('holds what could not be unmounted', async () => {
    const { start, mounter } = setUp();
    const volumes = start();
    await volumes.mount(UID, scratch, signal);
    using _fault = mounter.faults.add({ errno: 'EIO', op: 'unmount' });
    await assert.rejects(volumes.unmount(UID, scratch, signal), AgentError);
    assert.equal(volumes.sync(UID, scratch).held, true);
  });

  it('mounts again when a pod comes back after its volumes went', async () => {
    const { start, mounter } = setUp();
    const volumes = start();
    await volumes.mount(UID, scratch, signal);
    await volumes.unmount(UID, scratch, signal);
    await volumes.mount(UID, scratch, signal);
    assert.deepEqual([...mounter.mounts.keys()], [DATA]);
  });

  it('is asked once more after something was found mounted', async () => {
    const volumes = setUp().start();
    await volumes.unmount(UID, scratch, signal);
    volumes.unmountAgain(UID);
    assert.equal(volumes.sync(UID, scratch).held, true);
  });

  it('refuses to leave a mount of an unknown kind', async () => {
    const { start, mounter, files } = setUp();
    const odd = '/var/lib/kubelet/pods/uid-1/volumes/example.com~odd/x';
    files.disk.makeDirectory(odd, 0o750);
    await mounter.mount({ fsType: 'odd', source: 'odd', target: odd, options: [] });
    await assert.rejects(
      start().unmount(UID, scratch, signal),
      /no volume plugin matched name: example.com\/odd/,
    );
  });

  it('removes nothing that a volume of an unknown kind holds', async () => {
    const { start, files } = setUp();
    const odd = '/var/lib/kubelet/pods/uid-1/volumes/example.com~odd/x';
    files.disk.makeDirectory(odd, 0o750);
    await files.writeFile(`${odd}/precious`, 'data', 0o600);
    const volumes = start();
    await assert.rejects(
      volumes.unmount(UID, scratch, signal),
      /cannot remove ".*x": no volume plugin matched name: example.com\/odd/,
    );
    assert.equal(await files.readFile(`${odd}/precious`), 'data');
    assert.equal(volumes.sync(UID, scratch).held, true);
    await files.removeTree(`${odd}/precious`);
    await volumes.unmount(UID, scratch, signal);
    assert.equal(volumes.sync(UID, scratch).held, false);
  });

  const refusals: [name: string, volume: Volume, event: string][] = [
    [
      'a kind that was removed',
      { name: 'v', glusterfs: {} },
      'Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: failed to get Plugin from volumeSpec for volume "v" err=no volume plugin matched',
    ],
    [
      'a kind that is not there yet',
      { name: 'v', iscsi: {} },
      'MountVolume.SetUp failed for volume "v" : this kubelet cannot mount volumes of type iscsi yet',
    ],
    [
      'a flexVolume whose driver is not there',
      { name: 'v', flexVolume: { driver: 'example.com/disk' } },
      'Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: failed to get Plugin from volumeSpec for volume "v" err=no volume plugin matched',
    ],
    [
      'a git repository',
      { name: 'v', gitRepo: {} },
      'MountVolume.SetUp failed for volume "v" : git-repo volume plugin has been disabled; if necessary, it may be re-enabled by enabling the feature-gate `GitRepoVolumeDriver`',
    ],
  ];
  for (const [name, volume, message] of refusals) {
    it(`records an event when it refuses ${name}`, async () => {
      const { start, events } = setUp();
      const pod = podWith([volume]);
      assert.equal((await start().mount(UID, pod, signal)).ok, false);
      assert.deepEqual(events, [{ pod, type: 'Warning', reason: 'FailedMount', message }]);
    });
  }

  it('CVE-2024-10220: runs no git, and so no hook of a repository', () =>
    refusesGit('https://host/r', '.git'));

  it('CVE-2025-1767: reads no repository on the node', () => refusesGit('/var/lib/repository', '.'));

  async function refusesGit(repository: string, directory: string): Promise<void> {
    const { start, events } = setUp();
    const pod = podWith([{ name: 'v', gitRepo: { repository, directory } }]);
    assert.equal((await start().mount(UID, pod, signal)).ok, false);
    assert.match(events[0]?.message ?? '', /git-repo volume plugin has been disabled/);
  }

  it('says which volume waits for what, and waits longer each time', async () => {
    const world = setUp();
    const { clock, start, events } = world;
    const volumes = start();
    world.answer = async () => refuse('configmap "app" not found');
    const delays: number[] = [];
    for (let i = 0; i < 4; i++) {
      const result = await volumes.mount(UID, config, signal);
      assert.ok(!result.ok);
      assert.equal(result.message, 'volume "cfg": configmap "app" not found');
      delays.push(result.retryAtMs - clock.now());
    }
    assert.deepEqual(delays, [500, 1000, 2000, 4000]);
    assert.equal(events[0]?.message, 'MountVolume.SetUp failed for volume "cfg" : configmap "app" not found');
    assert.equal(volumes.sync(UID, config).ready, false);
  });

  it('wakes a waiting pod when the object changes, and records when that was', async () => {
    const world = setUp();
    const volumes = world.start();
    world.answer = async () => refuse('configmap "app" not found');
    await volumes.mount(UID, config, signal);
    await world.clock.advance(100);
    for (const notify of world.listeners) notify();
    assert.deepEqual(world.woken, [UID]);
    assert.equal(volumes.sync(UID, config).changedAtMs, world.clock.now());
  });

  it('shows a change of an object at once, without the pod doing anything', async () => {
    const world = setUp();
    const volumes = world.start();
    await volumes.mount(UID, config, signal);
    for (const notify of world.listeners) notify();
    for (const notify of world.listeners) notify();
    await world.clock.settle();
    assert.equal(world.requests.length, 2, 'two changes at once need one refresh');
    assert.deepEqual(world.woken, [], 'a pod that has everything is left alone');
  });

  it('refreshes for a label of the pod, and not for its deletion, which no volume shows', async () => {
    const world = setUp();
    const volumes = world.start();
    await volumes.mount(UID, config, signal);
    const marks = { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 1 };
    volumes.sync(UID, { ...config, metadata: { ...config.metadata, ...marks } });
    await world.clock.settle();
    assert.equal(world.requests.length, 1);
    volumes.sync(UID, { ...config, metadata: { ...config.metadata, ...marks, labels: { new: 'one' } } });
    await world.clock.settle();
    assert.equal(world.requests.length, 2);
  });

  it('refreshes only the volumes that show what changed', async () => {
    const world = setUp();
    const volumes = world.start();
    const pod = podWith([
      { name: 'one', configMap: { name: 'app' } },
      { name: 'two', configMap: { name: 'other' } },
    ]);
    await volumes.mount(UID, pod, signal);
    world.requests.length = 0;
    volumes.refresh(UID, { kind: 'configmap', namespace: 'market', name: 'other' });
    await world.clock.settle();
    assert.deepEqual(
      world.requests.map(({ name }) => name),
      ['two'],
    );
  });

  it('tries a refresh that failed again, while containers keep what they see', async () => {
    const world = setUp();
    const volumes = world.start();
    await volumes.mount(UID, config, signal);
    const { answer } = world;
    world.answer = async () => refuse('configmap "app" not found');
    volumes.refresh(UID);
    await world.clock.settle();
    assert.equal(volumes.sync(UID, config).ready, true);
    world.answer = answer;
    await world.clock.advance(500);
    assert.equal(world.requests.length, 3);
    await world.clock.advance(3_600_000);
    assert.equal(world.requests.length, 3);
    assert.equal(world.events.length, 1);
  });

  it('refreshes what shows the pod itself when its labels change', async () => {
    const world = setUp();
    const volumes = world.start();
    await volumes.mount(UID, config, signal);
    volumes.sync(UID, config);
    const changed = podWith([{ name: 'cfg', configMap: { name: 'app' } }], { tier: 'new' });
    volumes.sync(UID, changed);
    await world.clock.settle();
    assert.deepEqual(
      world.requests.map(({ pod }) => pod.metadata.labels),
      [{}, { tier: 'new' }],
    );
  });

  it('refreshes by the clock where a driver asks for it', async () => {
    const world = setUp();
    const { answer, clock } = world;
    const volumes = world.start();
    world.answer = async () => {
      const mounted = await answer();
      return mounted.ok ? accept({ ...mounted.value, refreshAtMs: clock.now() + 60_000 }) : mounted;
    };
    await volumes.mount(UID, config, signal);
    await clock.advance(180_000);
    assert.equal(world.requests.length, 4);
    volumes.close();
    await clock.advance(180_000);
    assert.equal(world.requests.length, 4);
  });

  it('refreshes soon after the clock was set past the time that a driver has asked for', async () => {
    const world = setUp();
    const { answer, clock } = world;
    const volumes = world.start();
    world.answer = async () => {
      const mounted = await answer();
      const refreshAtMs = clock.now() + 4 * 3_600_000;
      return mounted.ok ? accept({ ...mounted.value, refreshAtMs }) : mounted;
    };
    await volumes.mount(UID, config, signal);
    clock.setBy(5 * 3_600_000);
    await clock.advance(300_000);
    assert.equal(world.requests.length, 2);
    volumes.close();
  });

  it('waits with the removal for a refresh under way, which it ends, and listens no more', async () => {
    const world = setUp();
    const volumes = world.start();
    await volumes.mount(UID, config, signal);
    const order: string[] = [];
    world.answer = async () => {
      await new Promise<void>((resolve) => {
        world.requests.at(-1)?.signal.addEventListener('abort', () => resolve());
      });
      order.push('refresh ended');
      return refuse('cut short');
    };
    volumes.refresh(UID);
    await world.clock.settle();
    await volumes.unmount(UID, config, signal);
    order.push('unmounted');
    assert.deepEqual(order, ['refresh ended', 'unmounted']);
    assert.equal(world.listeners.size, 0);
    assert.deepEqual(world.events, [], 'being cut short is no failure');
  });
});
