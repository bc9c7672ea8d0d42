import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCollection } from '../../../test/fakes/fake-api-path.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { published, RUNNING, samplePod, UID } from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../../core/api/pod.ts';
import {
  CONFIG_HASH_ANNOTATION,
  CONFIG_MIRROR_ANNOTATION,
  CONFIG_SOURCE_ANNOTATION,
  fullName,
} from '../../core/api/pod-identity.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { PODS } from '../../ports/cluster/api-resource.ts';
import type { DeleteOptions } from '../../ports/cluster/api-server.ts';
import { StatusBoard } from '../pod/status-board.ts';
import { StatusReporter } from './status-reporter.ts';

const ALL_PODS = toCollection('', 'v1', 'pods');
const DELETED = { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 30 };
const RUNS: PodStatus = { phase: 'Running', containerStatuses: [published('main', RUNNING)] };

async function setUp(options: { start?: boolean } = {}) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const api = new MemoryApiServer({ clock });
  const board = new StatusBoard();
  const delivered = new Map<string, Pod>();
  const mirrors = new Map<string, Pod>();
  const synced: number[] = [];
  const reporter = new StatusReporter({
    api,
    clock,
    logger,
    random: () => 0,
    board,
    readDelivered: (uid) => delivered.get(uid),
    readMirror: (name) => mirrors.get(name),
    onSynced: (durationMs) => void synced.push(durationMs),
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  const start = async (): Promise<void> => {
    running = reporter.run(stop.signal);
    await clock.settle();
  };
  /** The API server's watch has caught up. */
  const echo = (): void => {
    delivered.clear();
    for (const pod of api.store.list(ALL_PODS) as unknown as Pod[]) delivered.set(pod.metadata.uid, pod);
    for (const uid of delivered.keys()) reporter.check(toPodUid(uid));
  };
  const inApi = (name = 'web'): Pod | undefined => api.peek<Pod>(PODS, name, 'default');
  const add = (pod: Pod): Pod => {
    const stored = api.put<Pod>(PODS, { ...pod, status: pod.status ?? { phase: 'Pending' } });
    delivered.set(stored.metadata.uid, stored);
    return stored;
  };
  const publish = (status: PodStatus, mayRun = true, pod: Pod = samplePod()): void =>
    board.publish(toPodUid(pod.metadata.uid), { pod, status, mayRun });
  /** What the agent does when nothing of a pod is left. */
  const gone = (status: PodStatus, pod: Pod = samplePod()): void => {
    reporter.finish(toPodUid(pod.metadata.uid), pod, status);
    board.podGone({ uid: toPodUid(pod.metadata.uid) });
    delivered.delete(pod.metadata.uid);
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0, 'no timer is left');
  };
  /** Holds patches back until released; says how many are under way. */
  const hold = () => {
    const waiting: (() => void)[] = [];
    api.intercept = ({ verb }) =>
      verb === 'patch' ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined;
    return {
      get underWay() {
        return waiting.length;
      },
      releaseAll: async () => {
        api.intercept = undefined;
        for (const release of waiting.splice(0)) release();
        await clock.settle();
      },
    };
  };
  const patches = (): number => api.callsTo({ verb: 'patch' }).length;
  const deletes = (): number => api.callsTo({ verb: 'delete' }).length;
  if (options.start !== false) await start();
  return {
    clock,
    logger,
    api,
    board,
    reporter,
    synced,
    delivered,
    mirrors,
    stop,
    start,
    echo,
    inApi,
    add,
    publish,
    gone,
    end,
    hold,
    patches,
    deletes,
  };
}

describe('StatusReporter, while a pod starts', () => {
  const STARTS: PodStatus = { phase: 'Pending', hostIP: '10.0.0.1' };
  const FAILS: PodStatus = {
    phase: 'Pending',
    containerStatuses: [published('main', { waiting: { reason: 'ErrImagePull' } })],
  };

  it('writes once for a pod that has started in time', async () => {
    const { clock, add, publish, end, patches, inApi } = await setUp();
    add(samplePod());
    publish(STARTS);
    await clock.advance(1_000);
    publish({ ...STARTS, podIP: '10.1.0.1' });
    await clock.advance(1_000);
    assert.equal(patches(), 0);
    publish(RUNS);
    await clock.settle();
    assert.deepEqual([patches(), inApi()?.status?.phase], [1, 'Running']);
    assert.equal(clock.pendingTimers, 0);
    await end();
  });

  it('writes the newest of what it has after three seconds, and from then on at once', async () => {
    const { clock, add, publish, end, patches, inApi } = await setUp();
    add(samplePod());
    publish(STARTS);
    await clock.advance(2_000);
    publish({ ...STARTS, podIP: '10.1.0.1' });
    await clock.advance(1_000);
    assert.deepEqual([patches(), inApi()?.status?.podIP], [1, '10.1.0.1']);
    publish({ ...STARTS, podIP: '10.1.0.2' });
    await clock.settle();
    assert.deepEqual([patches(), inApi()?.status?.podIP], [2, '10.1.0.2']);
    await end();
  });

  it('writes at once what is wrong with it, and how it ended', async () => {
    const { clock, add, publish, gone, end, patches, deletes, inApi } = await setUp();
    add(samplePod());
    publish(STARTS);
    await clock.settle();
    publish(FAILS);
    await clock.settle();
    assert.deepEqual([patches(), inApi()?.status?.containerStatuses?.length], [1, 1]);
    const other = add(samplePod({}, { metadata: { name: 'other', uid: 'uid-2', ...DELETED } }));
    publish(STARTS, false, other);
    gone(STARTS, other);
    await clock.settle();
    assert.equal(deletes(), 1);
    await end();
  });

  it('writes at once that a pod which ran has to start again', async () => {
    const { clock, add, publish, end, patches } = await setUp();
    add(samplePod({}, { status: RUNS }));
    publish(STARTS);
    await clock.settle();
    assert.equal(patches(), 1);
    await end();
  });

  it('leaves no timer for a pod that the API server no longer has', async () => {
    const { clock, add, delivered, publish, gone, end } = await setUp();
    const pod = add(samplePod());
    publish(STARTS, true, pod);
    await clock.settle();
    delivered.clear();
    gone(STARTS, pod);
    await end();
  });
});

describe('StatusReporter', () => {
  it('is idle once everything is sent, and is not waited for any longer than asked', async () => {
    const { clock, reporter, add, publish, hold, end } = await setUp();
    add(samplePod());
    const held = hold();
    publish(RUNS);
    await clock.settle();
    const ends: string[] = [];
    const impatience = new AbortController();
    void reporter.whenIdle(impatience.signal).then(() => ends.push('impatient'));
    void reporter.whenIdle(new AbortController().signal).then(() => ends.push('patient'));
    await clock.settle();
    assert.deepEqual(ends, []);
    impatience.abort();
    await clock.settle();
    assert.deepEqual(ends, ['impatient']);
    await held.releaseAll();
    assert.deepEqual(ends, ['impatient', 'patient']);
    await end();
  });

  it('writes a published status once, to the status, under the UID and before other calls', async () => {
    const at = await setUp();
    at.add(samplePod());
    at.publish(RUNS);
    await at.clock.settle();
    assert.equal(at.inApi()?.status?.phase, 'Running');
    const [call] = at.api.callsTo({ verb: 'patch' });
    assert.equal(call?.subresource, 'status');
    assert.equal(call?.options?.priority, 'status');
    assert.deepEqual((call?.body as { metadata?: object } | undefined)?.metadata, { uid: UID });
    await at.end();
  });

  it('writes nothing again when asked again, when its own write comes back, nor for a status that says the same', async () => {
    const at = await setUp();
    at.add(samplePod());
    at.publish(RUNS);
    await at.clock.settle();
    at.reporter.check(UID);
    await at.clock.settle();
    at.echo();
    await at.clock.settle();
    at.publish({ ...RUNS });
    await at.clock.settle();
    assert.equal(at.patches(), 1);
    await at.end();
  });

  it('reports what was published before it ran, also for a pod that is gone by then', async () => {
    const at = await setUp({ start: false });
    at.add(samplePod());
    at.publish(RUNS);
    at.add(samplePod({}, { metadata: { name: 'b', uid: 'u-b', ...DELETED } }));
    at.gone(RUNS, samplePod({}, { metadata: { name: 'b', uid: 'u-b', ...DELETED } }));
    await at.start();
    assert.equal(at.inApi()?.status?.phase, 'Running');
    assert.equal(at.inApi('b'), undefined);
    await at.end();
  });

  it('one write at a time per pod; what came meanwhile goes in one more with the last word', async () => {
    const at = await setUp();
    at.add(samplePod());
    const held = at.hold();
    at.publish({ ...RUNS, message: 'one' });
    await at.clock.settle();
    for (const message of ['two', 'three', 'four']) {
      at.publish({ ...RUNS, message });
      await at.clock.settle();
    }
    assert.equal(held.underWay, 1);
    await held.releaseAll();
    assert.equal(at.patches(), 2);
    assert.equal(at.inApi()?.status?.message, 'four');
    await at.end();
  });

  it('a pod whose write hangs does not hold up another', async () => {
    const at = await setUp();
    at.add(samplePod());
    at.add(samplePod({}, { metadata: { name: 'b', uid: 'u-b' } }));
    at.api.hang({ verb: 'patch', name: 'web' });
    at.publish(RUNS);
    at.publish(RUNS, true, samplePod({}, { metadata: { name: 'b', uid: 'u-b' } }));
    await at.clock.settle();
    assert.equal(at.inApi('b')?.status?.phase, 'Running');
    await at.end();
  });

  it('a status published at the very end of a write is not lost', async () => {
    // In one of these turns of the microtask queue the loop has decided to end and not yet said so.
    for (let turns = 0; turns < 40; turns++) {
      const at = await setUp();
      at.add(samplePod());
      const held = at.hold();
      at.publish({ ...RUNS, message: 'one' });
      await at.clock.settle();
      const released = held.releaseAll();
      for (let turn = 0; turn < turns; turn++) await undefined;
      at.publish({ ...RUNS, message: 'two' });
      await released;
      await at.clock.settle();
      assert.equal(at.inApi()?.status?.message, 'two', `after ${turns} turns`);
      await at.end();
    }
  });

  it('withholds a terminal phase while the pod may run', async () => {
    const at = await setUp();
    at.add(samplePod({}, { status: { phase: 'Running' } }));
    at.publish({ phase: 'Failed', reason: 'Evicted', message: 'why' });
    await at.clock.settle();
    assert.deepEqual([at.inApi()?.status?.phase, at.inApi()?.status?.reason], ['Running', undefined]);
    at.publish({ phase: 'Failed', reason: 'Evicted', message: 'why' }, false);
    await at.clock.settle();
    assert.deepEqual([at.inApi()?.status?.phase, at.inApi()?.status?.reason], ['Failed', 'Evicted']);
    await at.end();
  });

  it('keeps conditions of others, and puts right what others did to its own', async () => {
    const at = await setUp();
    const gate = { type: 'gate.example.org/open', status: 'True' } as const;
    at.add(samplePod({}, { status: { phase: 'Pending', conditions: [gate] } }));
    const ready = { type: 'Ready', status: 'True' } as const;
    at.publish({ ...RUNS, conditions: [ready] });
    await at.clock.settle();
    assert.deepEqual(at.inApi()?.status?.conditions, [gate, ready]);
    at.api.put(PODS, { ...at.inApi(), status: { ...RUNS, phase: 'Pending', conditions: [gate] } });
    at.echo();
    await at.clock.settle();
    assert.equal(at.inApi()?.status?.phase, 'Running');
    assert.deepEqual(at.inApi()?.status?.conditions, [gate, ready]);
    await at.end();
  });

  it('while the API server is unreachable it backs off, logs once, and then sends the latest status', async () => {
    const at = await setUp();
    at.add(samplePod());
    at.api.unreachable = true;
    at.publish(RUNS);
    await at.clock.advance(60_000);
    // After 1, 2, 4, 8 and then every 10 s.
    assert.equal(at.patches(), 9);
    assert.deepEqual(at.logger.messages('warning'), ['cannot report the pod status, retrying']);
    at.publish({ ...RUNS, message: 'last' });
    at.api.unreachable = false;
    await at.clock.advance(15_000);
    assert.equal(at.inApi()?.status?.message, 'last');
    assert.equal(at.synced.length, 1);
    assert.ok((at.synced[0] ?? 0) >= 60_000, 'from the first change to the write that got through');
    await at.end();
  });

  it('drops the status of a pod whose name another bears; a conflict that passes loses nothing', async () => {
    const at = await setUp();
    at.add(samplePod());
    at.api.remove(PODS, 'web', 'default');
    at.api.put(PODS, samplePod({}, { metadata: { uid: 'other' } }));
    at.publish(RUNS);
    await at.clock.advance(120_000);
    assert.ok(at.patches() <= 4, `${at.patches()} tries`);
    assert.equal(at.inApi()?.status, undefined);
    at.add(samplePod({}, { metadata: { name: 'b', uid: 'u-b' } }));
    at.api.fail({ verb: 'patch', name: 'b' }, 'conflict');
    at.publish(RUNS, true, samplePod({}, { metadata: { name: 'b', uid: 'u-b' } }));
    await at.clock.advance(5_000);
    assert.equal(at.inApi('b')?.status?.phase, 'Running');
    await at.end();
  });

  it('does not write to a pod that the API server does not have', async () => {
    const at = await setUp();
    at.publish(RUNS);
    await at.clock.settle();
    assert.equal(at.patches(), 0);
    at.add(samplePod());
    at.api.remove(PODS, 'web', 'default');
    at.reporter.check(UID);
    await at.clock.advance(60_000);
    assert.equal(at.patches(), 1);
    await at.end();
  });
});

describe('StatusReporter at the end of a pod', () => {
  const deletedPod = samplePod({}, { metadata: DELETED });

  it('sends the final status and deletes the object at once, under its UID, once', async () => {
    const at = await setUp();
    at.add(deletedPod);
    at.publish(RUNS);
    await at.clock.settle();
    const written: unknown[] = [];
    at.api.intercept = ({ verb }) => {
      if (verb === 'delete') written.push(at.inApi()?.status?.phase);
    };
    at.gone(RUNS, deletedPod);
    at.reporter.check(UID);
    await at.clock.advance(60_000);
    assert.equal(at.inApi(), undefined);
    assert.deepEqual(written, ['Failed']);
    const [call, ...more] = at.api.callsTo({ verb: 'delete' });
    assert.equal(more.length, 0);
    const options: DeleteOptions = call?.options ?? {};
    assert.deepEqual([options.gracePeriodSeconds, options.uid], [0, UID]);
    await at.end();
  });

  it('deletes a pod of the API server that calls itself static', async () => {
    const at = await setUp();
    const annotations = { [CONFIG_SOURCE_ANNOTATION]: 'file' };
    at.add(samplePod({}, { metadata: { ...DELETED, annotations } }));
    at.publish(RUNS);
    await at.clock.settle();
    at.gone(
      RUNS,
      samplePod({}, { metadata: { ...DELETED, annotations: { [CONFIG_SOURCE_ANNOTATION]: 'api' } } }),
    );
    await at.clock.advance(60_000);
    assert.equal(at.inApi(), undefined);
    await at.end();
  });

  it('never deletes a pod without a deletion timestamp', async () => {
    const at = await setUp();
    at.add(samplePod());
    at.gone({ phase: 'Failed', reason: 'Evicted' });
    await at.clock.advance(60_000);
    assert.equal(at.inApi()?.status?.reason, 'Evicted');
    assert.equal(at.deletes(), 0);
    await at.end();
  });

  it('a pod that is gone while a write is under way still gets its last status before it is deleted', async () => {
    const at = await setUp();
    at.add(deletedPod);
    const held = at.hold();
    at.publish(RUNS);
    await at.clock.settle();
    at.gone(RUNS, deletedPod);
    const written: unknown[] = [];
    const released = held.releaseAll();
    at.api.intercept = ({ verb }) => {
      if (verb === 'delete') written.push(at.inApi()?.status?.phase);
    };
    await released;
    await at.clock.settle();
    assert.deepEqual(written, ['Failed']);
    assert.equal(at.inApi(), undefined);
    await at.end();
  });

  it('while the API server is away the end waits, and nothing of it is lost', async () => {
    const at = await setUp();
    at.add(deletedPod);
    at.api.unreachable = true;
    at.gone(RUNS, deletedPod);
    await at.clock.advance(60_000);
    at.api.unreachable = false;
    at.api.fail({ verb: 'delete' }, 'unavailable', 2);
    await at.clock.advance(60_000);
    assert.equal(at.inApi(), undefined);
    await at.end();
  });

  it('a namesake is left alone', async () => {
    const at = await setUp();
    at.add(deletedPod);
    at.api.remove(PODS, 'web', 'default');
    at.api.put(PODS, samplePod({}, { metadata: { uid: 'other' } }));
    at.gone(RUNS, deletedPod);
    await at.clock.advance(60_000);
    assert.equal(at.inApi()?.metadata.uid, 'other');
    assert.equal(at.inApi()?.status, undefined);
    await at.end();
  });

  it('says nothing about a pod that its source has already taken away', async () => {
    const at = await setUp();
    at.add(samplePod());
    at.publish(RUNS);
    await at.clock.settle();
    at.api.remove(PODS, 'web', 'default');
    at.echo();
    at.gone(RUNS);
    await at.clock.advance(60_000);
    assert.equal(at.patches(), 1);
    await at.end();
  });

  it('a pod asked about after its end is asked for nothing: no memory of it is left', async () => {
    const at = await setUp();
    at.add(deletedPod);
    at.publish(RUNS);
    at.gone(RUNS, deletedPod);
    await at.clock.advance(1_000);
    at.api.forgetCalls();
    // A new object of the same UID would be patched by a duty that outlived its pod.
    at.add(deletedPod);
    at.reporter.check(UID);
    await at.clock.advance(60_000);
    assert.deepEqual(at.api.calls, []);
    await at.end();
  });

  it('reports a pod re-created under its UID after the final status', async () => {
    const at = await setUp();
    at.add(samplePod());
    const held = at.hold();
    at.gone({ phase: 'Pending', message: 'before' });
    await at.clock.settle();
    at.publish({ ...RUNS, phase: 'Failed', message: 'after' }, false);
    await held.releaseAll();
    at.echo();
    await at.clock.settle();
    assert.equal(at.inApi()?.status?.message, 'after');
    await at.end();
  });

  it('stopping ends calls that hang and writes nothing more', async () => {
    const at = await setUp();
    at.add(deletedPod);
    at.api.hang({ verb: 'patch' });
    at.publish(RUNS);
    await at.clock.settle();
    await at.end();
    at.publish({ ...RUNS, message: 'more' });
    at.gone(RUNS, deletedPod);
    await at.clock.settle();
    assert.equal(at.patches(), 1);
    assert.deepEqual(at.logger.messages('warning'), []);
  });
});

describe('StatusReporter of a static pod', () => {
  const staticPod = samplePod(
    {},
    {
      metadata: {
        uid: 'file-1',
        annotations: { [CONFIG_SOURCE_ANNOTATION]: 'file', [CONFIG_HASH_ANNOTATION]: 'h1' },
      },
    },
  );
  const mirrorOf = (hash: string): Pod =>
    samplePod(
      {},
      {
        metadata: {
          uid: `mirror-${hash}`,
          annotations: {
            [CONFIG_SOURCE_ANNOTATION]: 'file',
            [CONFIG_HASH_ANNOTATION]: hash,
            [CONFIG_MIRROR_ANNOTATION]: hash,
          },
        },
      },
    );
  const uid = toPodUid('file-1');

  it('goes to its mirror as soon as there is one, under the UID of the mirror', async () => {
    const at = await setUp();
    at.publish(RUNS, true, staticPod);
    await at.clock.settle();
    assert.equal(at.patches(), 0);
    at.mirrors.set(fullName(staticPod), at.api.put<Pod>(PODS, mirrorOf('h1')));
    at.reporter.check(uid);
    await at.clock.settle();
    assert.equal(at.inApi()?.status?.phase, 'Running');
    await at.end();
  });

  it('brings a mirror back that shows the end by a shutdown of the node', async () => {
    const at = await setUp();
    const ended = { phase: 'Failed', reason: 'Terminated', message: 'shutdown' } as const;
    at.mirrors.set(fullName(staticPod), at.api.put<Pod>(PODS, { ...mirrorOf('h1'), status: ended }));
    at.publish(RUNS, true, staticPod);
    await at.clock.settle();
    const { phase, reason } = at.inApi()?.status ?? {};
    assert.deepEqual([phase, reason], ['Running', undefined]);
    await at.end();
  });

  it('never goes to the mirror of the next pod of that name', async () => {
    const at = await setUp();
    at.mirrors.set(fullName(staticPod), at.api.put<Pod>(PODS, mirrorOf('h2')));
    at.publish(RUNS, true, staticPod);
    at.gone({ phase: 'Failed' }, staticPod);
    await at.clock.settle();
    assert.equal(at.patches(), 0);
    await at.end();
  });

  it('a mirror that is replaced while a write to the old one is under way gets the status too', async () => {
    const at = await setUp();
    at.mirrors.set(fullName(staticPod), at.api.put<Pod>(PODS, mirrorOf('h1')));
    const held = at.hold();
    at.publish(RUNS, true, staticPod);
    await at.clock.settle();
    at.api.remove(PODS, 'web', 'default');
    const replaced = samplePod(
      {},
      { metadata: { ...mirrorOf('h1').metadata, name: 'web', uid: 'mirror-new' } },
    );
    const release = held.releaseAll();
    await release;
    at.mirrors.set(fullName(staticPod), at.api.put<Pod>(PODS, replaced));
    at.reporter.check(uid);
    await at.clock.settle();
    assert.equal(at.inApi()?.status?.phase, 'Running');
    await at.end();
  });

  it('the mirror gets the last status, and deleting it is not the work of this', async () => {
    const at = await setUp();
    at.mirrors.set(
      fullName(staticPod),
      at.api.put<Pod>(PODS, { ...mirrorOf('h1'), status: { phase: 'Pending' } }),
    );
    at.publish(RUNS, true, staticPod);
    await at.clock.settle();
    at.gone({ phase: 'Succeeded' }, staticPod);
    await at.clock.advance(60_000);
    assert.equal(at.inApi()?.status?.phase, 'Succeeded');
    assert.equal(at.deletes(), 0);
    await at.end();
  });
});
