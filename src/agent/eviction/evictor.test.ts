import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import { AgentError } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import { toThresholds } from '../../core/eviction/threshold.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { PodStats } from '../../core/stats/summary.ts';
import { noMeter } from '../../ports/agent-meter.ts';
import type { StatisticsReading } from '../../ports/host/node-statistics.ts';
import { DesiredPods } from '../desired/desired-pods.ts';
import { NodeState } from '../node/node-state.ts';
import { StatusBoard } from '../pod/status-board.ts';
import { Evictor } from './evictor.ts';

const MIB = 1024 ** 2;
const TIME = '2026-01-01T00:00:00Z';

function pod(name: string, priority = 0): Pod {
  return samplePod({ priority }, { name, uid: name });
}

function stats(name: string, bytes: number): PodStats {
  const memory = { time: TIME, workingSetBytes: bytes };
  return { podRef: { name, namespace: 'default', uid: name }, startTime: TIME, containers: [], memory };
}

function setUp(pods: readonly Pod[]) {
  const [clock, logger, events] = [new FakeClock(), new RecordingLogger(), new RecordingEvents()];
  const counted: string[] = [];
  const ages: string[] = [];
  const meter = {
    ...noMeter,
    evicted: (signal: string) => void counted.push(signal),
    evictionStatsUsed: (signal: string, ageMs: number) => void ages.push(`${signal} ${ageMs}`),
  };
  const kit = { clock, logger, events, meter, random: () => 0 };
  const board = new StatusBoard();
  const desired = new DesiredPods({
    clock,
    events,
    sources: ['api', 'file'],
    hasEnded: (uid) => board.hasEnded(uid),
  });
  desired.deliver('api', pods);
  const state = new NodeState();
  /** What the node has; a test changes it. */
  const world = {
    memoryFree: 1000 * MIB,
    diskFree: 1000 * MIB,
    usage: new Map<string, number>(),
    emptyDirBytes: 0,
    fails: false,
    looks: 0,
    quickLooks: 0,
    reclaimed: [] as string[],
    /** Who was counted before a pod was chosen. */
    counted: [] as string[],
    onCount: () => {},
    onReclaim: () => {},
  };
  const read = (): StatisticsReading => {
    if (world.fails) throw new Error('no cgroups');
    const fs = { time: TIME, availableBytes: world.diskFree, capacityBytes: 2000 * MIB };
    const memory = { time: TIME, availableBytes: world.memoryFree, workingSetBytes: 0 };
    const all = [...world.usage].map(([name, bytes]) => ({
      ...stats(name, bytes),
      volume: [{ time: TIME, name: 'scratch', usedBytes: world.emptyDirBytes }],
    }));
    const node = {
      nodeName: 'n',
      startTime: TIME,
      memory,
      fs,
      runtime: { imageFs: fs, containerFs: fs },
    };
    return { summary: { node, pods: all }, layout: 'single', atMs: clock.now() };
  };
  const settings = {
    thresholds: toThresholds({
      hard: { 'memory.available': '100Mi', 'nodefs.available': '200Mi' },
      soft: {},
      softGraceMs: {},
      minReclaim: {},
      enforcesPods: false,
    }),
    transitionMs: 300_000,
    maxPodGraceSeconds: 0,
    limitsLocalStorage: true,
    sparesPageCache: false,
  };
  const evictor = new Evictor({
    kit,
    desired,
    volumes: {
      refresh: async (isWanted) => {
        const names = pods.flatMap(({ metadata, spec }) =>
          (spec.volumes ?? []).filter(({ name }) => isWanted(pods[0] as Pod, name)).map(() => metadata.name),
        );
        world.counted.push(...names);
        world.onCount();
      },
    },
    state,
    statistics: {
      read: async () => read(),
      readNode: async () => {
        world.looks++;
        return read();
      },
      readNodeUsage: () => {
        world.quickLooks++;
        return read();
      },
    },
    reclaim: {
      removeDeadContainers: async () => {
        world.reclaimed.push('containers');
      },
      removeUnusedImages: async () => {
        world.reclaimed.push('images');
        world.onReclaim();
      },
    },
    settings,
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  const start = async (): Promise<void> => {
    running = evictor.run(stop.signal);
    await clock.settle();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  };
  /** Nothing of the pod runs any more. */
  const finish = (name: string): void => {
    const uid = toPodUid(name);
    const record = desired.records.get(uid);
    assert.ok(record);
    board.publish(uid, { pod: record.pod, status: { phase: 'Failed' }, mayRun: false });
  };
  /** Nothing of the pod is left. */
  const release = (name: string): void => {
    finish(name);
    desired.forget(toPodUid(name));
  };
  const ending = () =>
    [...desired.records.values()]
      .filter(({ termination }) => termination !== undefined)
      .map(({ uid }) => uid);
  return {
    clock,
    events,
    logger,
    desired,
    state,
    world,
    evictor,
    settings,
    counted,
    ages,
    start,
    end,
    finish,
    release,
    ending,
  };
}

describe('Evictor', () => {
  it('ends the pod furthest above its request, waits for its end and measures again before the next', async () => {
    const t = setUp([pod('small'), pod('big'), pod('middle')]);
    t.world.usage = new Map([
      ['small', MIB],
      ['big', 50 * MIB],
      ['middle', 10 * MIB],
    ]);
    await t.start();
    assert.deepEqual(t.ending(), []);
    t.world.memoryFree = 99 * MIB;
    await t.clock.advance(1);
    t.evictor.wake('test');
    await t.clock.settle();
    assert.deepEqual(t.ending(), ['big']);
    assert.deepEqual(t.state.get('pressures'), { memory: true, disk: false, pid: false });
    const { termination } = t.desired.records.get(toPodUid('big')) ?? {};
    assert.equal(termination?.graceSeconds, 1);
    assert.equal(termination?.verdict?.reason, 'Evicted');
    assert.equal(termination?.verdict?.conditions?.[0]?.type, 'DisruptionTarget');
    await t.clock.advance(20_000);
    assert.deepEqual(t.ending(), ['big'], 'one at a time');
    t.finish('big');
    await t.clock.settle();
    assert.deepEqual(t.ending(), ['big'], 'its volumes are still there');
    t.release('big');
    await t.clock.settle();
    assert.deepEqual(t.ending(), ['middle']);
    assert.deepEqual(t.counted, ['memory.available', 'memory.available']);
    assert.deepEqual(
      t.ages,
      ['memory.available 0', 'memory.available 0'],
      'pods are chosen by fresh numbers',
    );
    t.world.memoryFree = 500 * MIB;
    t.release('middle');
    await t.clock.advance(10_000);
    assert.deepEqual(t.ending(), []);
    t.clock.setBy(5 * 3_600_000);
    await t.clock.advance(10_000);
    assert.equal(t.state.get('pressures').memory, true, 'the condition stays for the transition period');
    await t.clock.advance(290_000);
    assert.equal(t.state.get('pressures').memory, false);
    await t.end();
  });

  it('notices within a moment that memory runs out, however long the period is', async () => {
    const t = setUp([pod('a')]);
    t.world.memoryFree = 600 * MIB;
    await t.start();
    t.world.memoryFree = 99 * MIB;
    await t.clock.advance(490);
    assert.deepEqual(t.ending(), ['a']);
    await t.end();
  });

  it('looks at memory between two periods only as often as it could run out', async () => {
    const t = setUp([pod('a')]);
    t.world.memoryFree = 50_000 * MIB;
    await t.start();
    await t.clock.advance(60_000);
    assert.equal(t.world.quickLooks, 0);
    t.world.memoryFree = 6_244 * MIB;
    await t.clock.advance(10_000);
    assert.equal(t.world.quickLooks, 0);
    await t.clock.advance(10_000);
    assert.equal(t.world.quickLooks, 1, 'six gibibytes above the threshold last for six seconds');
    await t.end();
  });

  it('spares static and critical pods', async () => {
    const t = setUp([pod('critical', 2_000_000_000)]);
    t.desired.deliver('file', [pod('static')]);
    t.world.usage = new Map([
      ['static', MIB],
      ['critical', MIB],
    ]);
    t.world.memoryFree = 0;
    await t.start();
    assert.deepEqual(t.ending(), []);
    assert.ok(t.logger.lines.some(({ message }) => message === 'cannot evict a critical pod'));
    await t.end();
  });

  it('deletes dead containers and unused images before a pod has to go', async () => {
    const t = setUp([pod('a')]);
    t.world.diskFree = 199 * MIB;
    t.world.onReclaim = () => {
      t.world.diskFree = 300 * MIB;
    };
    await t.start();
    assert.deepEqual(t.world.reclaimed, ['containers', 'images']);
    assert.deepEqual(t.ending(), []);
    assert.deepEqual(
      t.events.nodeEvents.map(({ reason, message }) => [reason, message]),
      [['EvictionThresholdMet', 'Attempting to reclaim ephemeral-storage']],
    );
    t.world.onReclaim = () => {};
    t.world.diskFree = 100 * MIB;
    await t.clock.advance(10_000);
    assert.deepEqual(t.ending(), ['a']);
    await t.end();
  });

  it('ends a pod also when an image cannot be deleted', async () => {
    const t = setUp([pod('a')]);
    t.world.diskFree = 100 * MIB;
    t.world.onReclaim = () => {
      throw new AgentError('unavailable', 'wanted to free images: conflict');
    };
    await t.start();
    assert.deepEqual(t.ending(), ['a']);
    assert.ok(t.logger.lines.some(({ message }) => message === 'a reclaim step failed'));
    await t.end();
  });

  it('gives the runtime time to remove the files of an evicted pod before the next one has to go', async () => {
    const t = setUp([pod('a'), pod('b')]);
    t.world.diskFree = 100 * MIB;
    await t.start();
    assert.deepEqual(t.ending(), ['a']);
    t.release('a');
    await t.clock.advance(2_000);
    assert.deepEqual(t.ending(), [], 'the room may still come back');
    t.world.diskFree = 1000 * MIB;
    await t.clock.advance(60_000);
    assert.deepEqual(t.ending(), []);
    t.world.diskFree = 100 * MIB;
    await t.clock.advance(10_000);
    assert.deepEqual(t.ending(), ['b']);
    await t.end();
  });

  it('counts the local volumes again before it chooses by them', async () => {
    const filler = samplePod(
      {
        volumes: [
          { name: 'scratch', emptyDir: {} },
          { name: 'remote', nfs: { server: 's', path: '/' } },
        ],
      },
      { name: 'filler', uid: 'filler' },
    );
    const t = setUp([filler, pod('other')]);
    t.world.usage = new Map([
      ['filler', 0],
      ['other', 0],
    ]);
    t.world.diskFree = 199 * MIB;
    t.world.onCount = () => {
      t.world.emptyDirBytes = 500 * MIB;
    };
    await t.start();
    assert.deepEqual(t.world.counted, ['filler'], 'the local one, not the remote one');
    assert.deepEqual(t.ending(), ['filler']);
    await t.end();
  });

  it('ends a pod that exceeds its own limit, without calling that a disruption', async () => {
    const over = samplePod(
      { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
      { name: 'over', uid: 'over' },
    );
    const t = setUp([over]);
    t.world.usage = new Map([['over', 0]]);
    t.world.emptyDirBytes = 2 * MIB;
    await t.start();
    assert.deepEqual(t.ending(), ['over']);
    const { verdict } = t.desired.records.get(toPodUid('over'))?.termination ?? {};
    assert.equal(verdict?.message, 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ');
    assert.deepEqual(verdict?.conditions, []);
    assert.deepEqual(t.counted, ['emptydirfs.limit']);
    await t.end();
  });

  it('checks the first pod with limits of its own within ten seconds, however long the period was', async () => {
    const limited = samplePod(
      { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
      { name: 'limited', uid: 'limited' },
    );
    const t = setUp([pod('a')]);
    t.world.memoryFree = 50_000 * MIB;
    t.world.diskFree = 50_000 * MIB;
    await t.start();
    t.desired.deliver('api', [pod('a'), pod('b')]);
    await t.clock.settle();
    assert.equal(t.world.looks, 1, 'a pod without limits can wait');
    t.desired.deliver('api', [pod('a'), pod('b'), limited]);
    t.world.usage = new Map([['limited', 0]]);
    await t.clock.settle();
    assert.equal(t.world.looks, 2);
    t.world.emptyDirBytes = 2 * MIB;
    await t.clock.advance(10_000);
    assert.deepEqual(t.ending(), ['limited']);
    await t.end();
  });

  it('logs once that a disk is full and once that it has room again', async () => {
    const t = setUp([]);
    const lines = () =>
      t.logger.lines.map(({ message }) => message).filter((message) => /the disk has|is full/.test(message));
    t.world.diskFree = 0;
    await t.start();
    await t.clock.advance(60_000);
    assert.equal(lines().length, 2, 'one for each disk');
    t.world.diskFree = 1000 * MIB;
    await t.clock.advance(60_000);
    assert.deepEqual(lines().slice(2), ['the disk has room again', 'the disk has room again']);
    await t.end();
  });

  it('follows thresholds that were replaced while it runs', async () => {
    const t = setUp([pod('a')]);
    t.world.memoryFree = 300 * MIB;
    await t.start();
    await t.clock.advance(60_000);
    assert.deepEqual(t.ending(), []);
    t.settings.thresholds = toThresholds({
      hard: { 'memory.available': '400Mi' },
      soft: {},
      softGraceMs: {},
      minReclaim: {},
      enforcesPods: false,
    });
    await t.clock.advance(60_000);
    assert.deepEqual(t.ending(), ['a']);
    await t.end();
  });

  it('goes on after statistics could not be read', async () => {
    const t = setUp([pod('a')]);
    t.world.fails = true;
    t.world.memoryFree = 0;
    await t.start();
    assert.deepEqual(t.ending(), []);
    assert.ok(t.logger.lines.some(({ message }) => message === 'cannot measure the node for eviction'));
    t.world.fails = false;
    await t.clock.advance(10_000);
    assert.deepEqual(t.ending(), ['a']);
    await t.end();
  });
});
