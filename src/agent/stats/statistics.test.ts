import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeStats } from '../../../test/fakes/fake-stats.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { AgentError } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import { toContainerId, toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { ObservedContainer, ObservedSandbox } from '../../core/model/observed-pod.ts';
import type { RuntimePodSample } from '../../core/stats/runtime-pod-sample.ts';
import type { MemorySample } from '../../core/stats/samples.ts';
import type { VolumeMeasurement } from '../../core/volume/volume-usage.ts';
import type { PodStatsSource } from '../../ports/host/stats-reader.ts';
import { type SeenPods, Statistics } from './statistics.ts';

const START = Date.parse('2026-01-02T03:04:05Z');
const UID = toPodUid('11111111-2222-3333-4444-555555555555');
const POD_CGROUP = `/kubepods/burstable/pod${UID}`;
const CONTAINER = toContainerId('c0ffee');
const SANDBOX = toSandboxId('5a4db0');
const FS = { capacityBytes: 1000, availableBytes: 600, usedBytes: 400, inodes: 100, inodesFree: 70 };
const signal = new AbortController().signal;

const sandbox: ObservedSandbox = {
  id: SANDBOX,
  podUid: UID,
  podName: 'web',
  podNamespace: 'default',
  attempt: 0,
  ready: true,
  createdAtMs: START - 60_000,
  labels: {},
  annotations: {},
  runtimeHandler: '',
};
const container: ObservedContainer = {
  id: CONTAINER,
  podUid: UID,
  sandboxId: SANDBOX,
  name: 'main',
  state: 'running',
  createdAtMs: START - 50_000,
  image: 'i',
  imageId: 'i',
  labels: {},
  annotations: {},
};
const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: UID },
  spec: {
    containers: [{ name: 'main', image: 'i' }],
    volumes: [
      { name: 'data', emptyDir: {} },
      { name: 'ram', emptyDir: { medium: 'Memory' } },
    ],
  },
};

function memory(usageBytes: number): MemorySample {
  return { usageBytes, inactiveFileBytes: 10, rssBytes: 20, pageFaults: 1, majorPageFaults: 0 };
}

function measured(volume: string, usedBytes: number): VolumeMeasurement {
  const { capacityBytes, availableBytes, inodes, inodesFree } = FS;
  const usage = { capacityBytes, availableBytes, usedBytes, inodes, inodesFree, inodesUsed: 2 };
  return { podUid: UID, volume, takenAtMs: START, usage };
}

function setUp({ cgroupsPerQos = true, podStats = undefined as PodStatsSource | undefined } = {}) {
  const clock = new FakeClock({ startMs: START });
  const stats = new FakeStats(clock);
  stats.bootAtMs = START - 3600_000;
  stats.cgroups.set('/', { sample: { cpu: { usageNs: 10e9 }, memory: memory(500) } });
  stats.cgroups.set('/kubepods', { sample: { memory: memory(300) }, createdAtMs: START - 1000 });
  stats.cgroups.set(POD_CGROUP, { sample: { cpu: { usageNs: 2e9 }, memory: memory(200) } });
  stats.cgroups.set(`${POD_CGROUP}/${CONTAINER}`, {
    sample: { cpu: { usageNs: 1e9 }, memory: memory(150) },
    processes: 3,
  });
  stats.cgroups.set(`${POD_CGROUP}/${SANDBOX}`, {
    sample: {},
    interfaces: [
      { name: 'lo', rxBytes: 1, rxErrors: 0, txBytes: 1, txErrors: 0 },
      { name: 'eth0', rxBytes: 7, rxErrors: 0, txBytes: 8, txErrors: 1 },
    ],
  });
  stats.fileSystems.set('/root', { ...FS, device: '1' });
  stats.fileSystems.set('/images', { ...FS, device: '2' });
  stats.files.set(`/logs/default_web_${UID}/main`, { usedBytes: 30, inodesUsed: 1 });
  stats.files.set(`/root/pods/${UID}/etc-hosts`, { usedBytes: 5, inodesUsed: 1 });
  const layer = { mountpoint: '/images', usedBytes: 40, inodesUsed: 4, atMs: START };
  stats.containers.set(CONTAINER, { atMs: START, usageNs: 77, workingSetBytes: 88, writableLayer: layer });
  const runtime = {
    sandboxes: [sandbox],
    containers: [container],
    problem: undefined as AgentError | undefined,
    fsQuestions: 0,
    lists: 0,
    seen: undefined as SeenPods | undefined,
  };
  const list = async <T>(items: T[]): Promise<T[]> => {
    runtime.lists++;
    if (runtime.problem !== undefined) throw runtime.problem;
    return items;
  };
  const imageFs = { mountpoint: '/images', usedBytes: 90, inodesUsed: 9, timestampMs: START };
  const statistics = new Statistics({
    clock,
    logger: silentLogger,
    ...stats.ports(),
    systemCgroups: [{ name: 'pods', path: '/kubepods', startedAtMs: undefined }],
    loadPodStats: podStats && (async () => podStats),
    reader: {
      listSandboxes: () => list(runtime.sandboxes),
      listContainers: () => list(runtime.containers),
      lastSeen: () => runtime.seen,
    },
    images: {
      imageFsInfo: async () => {
        runtime.fsQuestions++;
        return { images: [imageFs], containers: [imageFs] };
      },
      listImages: async () => [],
    },
    volumes: { list: () => [measured('data', 100), measured('ram', 200)] },
    readPod: (uid) => (uid === UID ? pod : undefined),
    node: {
      nodeName: 'n1',
      rootDir: '/root',
      podLogsDir: '/logs',
      cgroupRoot: '/',
      cgroupDriver: 'cgroupfs',
      cgroupsPerQos,
    },
  });
  return { clock, stats, runtime, statistics };
}

describe('Statistics', () => {
  it('shows the node, its file systems and its own cgroups', async () => {
    const { statistics } = setUp();
    const { summary, layout, atMs } = await statistics.read({ maxAgeMs: 0, signal });
    const { node } = summary;
    assert.deepEqual([layout, atMs], ['dedicated', START]);
    assert.equal(node.startTime, '2026-01-02T02:04:05Z');
    assert.equal(node.cpu?.usageCoreNanoSeconds, 10e9);
    assert.equal(node.memory?.workingSetBytes, 490);
    assert.deepEqual(node.rlimit, { time: '2026-01-02T03:04:05Z', maxpid: 32768, curproc: 100 });
    assert.deepEqual([node.fs?.usedBytes, node.fs?.inodesUsed], [400, 30]);
    const { imageFs, containerFs } = node.runtime ?? {};
    assert.deepEqual([imageFs?.usedBytes, imageFs?.capacityBytes, containerFs], [90, 1000, imageFs]);
    const [pods] = node.systemContainers ?? [];
    assert.deepEqual([pods?.name, pods?.startTime], ['pods', '2026-01-02T03:04:04Z']);
  });

  it('shows a pod with its containers, network, volumes and storage', async () => {
    const { statistics } = setUp();
    const { summary } = await statistics.read({ maxAgeMs: 0, signal });
    const [shown] = summary.pods;
    assert.deepEqual(shown?.podRef, { name: 'web', namespace: 'default', uid: UID });
    assert.equal(shown?.startTime, '2026-01-02T03:03:05Z');
    assert.equal(shown?.memory?.workingSetBytes, 190);
    assert.deepEqual(
      [shown?.network?.name, shown?.network?.rxBytes, shown?.network?.interfaces?.length],
      ['eth0', 7, 1],
    );
    assert.deepEqual(
      shown?.volume?.map(({ name, usedBytes }) => [name, usedBytes]),
      [
        ['data', 100],
        ['ram', 200],
      ],
    );
    assert.equal(shown?.process_stats?.process_count, 3);
    // The writable layer, logs, the volume on disk and the hosts file, but not the volume in memory.
    assert.equal(shown?.['ephemeral-storage']?.usedBytes, 40 + 30 + 100 + 5);
    const [main] = shown?.containers ?? [];
    assert.equal(main?.cpu?.usageCoreNanoSeconds, 1e9);
    assert.deepEqual([main?.rootfs?.usedBytes, main?.rootfs?.capacityBytes], [40, 1000]);
    assert.deepEqual([main?.logs?.usedBytes, main?.logs?.inodesUsed], [30, 1]);
  });

  it('has a rate from the second reading on', async () => {
    const { statistics, stats, clock } = setUp();
    const first = await statistics.readUsage({ maxAgeMs: 0, signal });
    assert.equal(first.summary.pods[0]?.cpu?.usageNanoCores, undefined);
    await clock.advance(2000);
    stats.cgroups.set(POD_CGROUP, { sample: { cpu: { usageNs: 3e9 } } });
    const second = await statistics.read({ maxAgeMs: 0, signal });
    assert.equal(second.summary.pods[0]?.cpu?.usageNanoCores, 0.5e9);
    assert.equal(second.summary.pods[0]?.containers[0]?.cpu?.usageNanoCores, 0);
  });

  it('leaves the runtime and the disks alone when only CPU and memory are asked for', async () => {
    const { statistics, stats } = setUp();
    const { summary } = await statistics.readUsage({ maxAgeMs: 0, signal });
    assert.equal(stats.runtimeCalls, 0);
    assert.deepEqual(Object.keys(summary.node).toSorted(), [
      'cpu',
      'memory',
      'nodeName',
      'startTime',
      'systemContainers',
    ]);
    assert.deepEqual(Object.keys(summary.pods[0] ?? {}).toSorted(), [
      'containers',
      'cpu',
      'memory',
      'podRef',
      'startTime',
    ]);
    assert.deepEqual(Object.keys(summary.pods[0]?.containers[0] ?? {}).toSorted(), [
      'cpu',
      'memory',
      'name',
      'startTime',
    ]);
  });

  it('reads disks of the node alone each time, without networks, and seldom asks the runtime where it keeps files', async () => {
    const { statistics, stats, runtime, clock } = setUp();
    const request = { maxAgeMs: 0, signal };
    await statistics.readNode(request);
    stats.fileSystems.set('/images', { ...FS, availableBytes: 1, device: '2' });
    await clock.advance(59_000);
    const { summary, layout } = await statistics.readNode(request);
    assert.deepEqual([summary.node.runtime?.imageFs?.availableBytes, layout], [1, 'dedicated']);
    assert.deepEqual([summary.node.network, runtime.fsQuestions], [undefined, 1]);
    await clock.advance(1_000);
    await statistics.readNode(request);
    assert.equal(runtime.fsQuestions, 2);
    await statistics.read(request);
    assert.equal(runtime.fsQuestions, 3);
  });

  it('takes CPU and memory out of a whole reading that is young enough', async () => {
    const { statistics, stats, clock } = setUp();
    await statistics.read({ maxAgeMs: 0, signal });
    await clock.advance(1000);
    const { summary, atMs } = await statistics.readUsage({ maxAgeMs: 1000, signal });
    assert.deepEqual([stats.readings, atMs, summary.node.fs], [1, START, undefined]);
  });

  it('shows what the runtime counts where pods have no cgroups', async () => {
    const { statistics } = setUp({ cgroupsPerQos: false });
    const { summary } = await statistics.readUsage({ maxAgeMs: 0, signal });
    const [shown] = summary.pods;
    assert.equal(shown?.containers[0]?.cpu?.usageCoreNanoSeconds, 77);
    assert.deepEqual([shown?.cpu?.usageCoreNanoSeconds, shown?.memory?.workingSetBytes], [77, 88]);
  });

  it('leaves out what has ended, and a pod that cannot be named', async () => {
    const { statistics, runtime } = setUp();
    const other = { ...sandbox, id: toSandboxId('5'), podUid: toPodUid('u2'), podName: '../x' };
    runtime.sandboxes = [sandbox, other];
    const ended = { ...container, id: toContainerId('dead'), name: 'old', state: 'exited' as const };
    const odd = { ...container, id: toContainerId('odd'), sandboxId: other.id, podUid: other.podUid };
    runtime.containers = [container, ended, odd];
    const { summary } = await statistics.read({ maxAgeMs: 0, signal });
    assert.deepEqual(
      summary.pods.map(({ podRef, containers }) => [podRef.name, containers.map(({ name }) => name)]),
      [['web', ['main']]],
    );
  });

  it('reads CPU and memory without a call of a runtime that reports what changes', async () => {
    const { statistics, runtime, clock } = setUp();
    runtime.seen = { sandboxes: [sandbox], containers: [container] };
    const { summary } = await statistics.readUsage({ maxAgeMs: 0, signal });
    assert.deepEqual(
      summary.pods.map(({ podRef, containers }) => [podRef.name, containers[0]?.cpu?.usageCoreNanoSeconds]),
      [['web', 1e9]],
    );
    assert.equal(runtime.lists, 0);
    runtime.seen = undefined;
    await clock.advance(1);
    await statistics.readUsage({ maxAgeMs: 0, signal });
    assert.equal(runtime.lists, 2);
  });

  it('says what failed when the runtime does not answer', async () => {
    const { statistics, runtime } = setUp();
    runtime.problem = new AgentError('unavailable', 'cannot list: gone');
    await assert.rejects(statistics.read({ maxAgeMs: 0, signal }), {
      code: 'unavailable',
      message: 'failed to list pod stats: cannot list: gone',
    });
  });
});

describe('Statistics with a runtime that counts pods', () => {
  const time = '2026-01-02T03:04:05Z';
  const counted: RuntimePodSample = {
    usage: { cpu: { time, usageCoreNanoSeconds: 11 } },
    interfaces: [{ name: 'eth0', rxBytes: 12, rxErrors: 0, txBytes: 13, txErrors: 0 }],
    processes: 2,
    containers: new Map([[CONTAINER, { cpu: { time, usageCoreNanoSeconds: 14 } }]]),
  };

  it('takes its numbers for pods, containers and their networks', async () => {
    const listPodStats = async () => new Map([[SANDBOX, counted]]);
    const { statistics } = setUp({ podStats: { listPodStats, listPodMetrics: async () => undefined } });
    const { summary } = await statistics.read({ maxAgeMs: 0, signal });
    const [shown] = summary.pods;
    assert.equal(shown?.cpu?.usageCoreNanoSeconds, 11);
    assert.equal(shown?.network?.rxBytes, 12);
    assert.equal(shown?.process_stats?.process_count, 2);
    assert.equal(shown?.containers[0]?.cpu?.usageCoreNanoSeconds, 14);
    const usage = await statistics.readUsage({ maxAgeMs: 0, signal });
    assert.equal(usage.summary.pods[0]?.cpu?.usageCoreNanoSeconds, 11);
  });

  it('counts itself where the runtime cannot', async () => {
    const none = async () => undefined;
    const { statistics } = setUp({ podStats: { listPodStats: none, listPodMetrics: none } });
    const { summary } = await statistics.read({ maxAgeMs: 0, signal });
    assert.equal(summary.pods[0]?.cpu?.usageCoreNanoSeconds, 2e9);
  });
});
