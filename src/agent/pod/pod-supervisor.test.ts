import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod, sandbox } from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../../core/api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../../core/api/pod-identity.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import { DesiredPods } from '../desired/desired-pods.ts';
import { PodSupervisor } from './pod-supervisor.ts';
import type { PodWorker } from './pod-worker.ts';

/** A worker that works until the test says that nothing is left. */
class ManualWorker {
  readonly uid: PodUid;
  readonly heard: string[] = [];
  activity: PodWorker['activity'];
  #end: (end: 'gone' | 'stopped') => void = () => {};

  constructor(uid: PodUid) {
    this.uid = uid;
  }

  run(stop: AbortSignal): Promise<'gone' | 'stopped'> {
    return new Promise((resolve) => {
      this.#end = resolve;
      stop.addEventListener('abort', () => resolve('stopped'));
    });
  }

  wake(reason: string): void {
    this.heard.push(`wake: ${reason}`);
  }

  interrupt(reason: string): void {
    this.heard.push(`interrupt: ${reason}`);
  }

  finish(): void {
    this.#end('gone');
  }
}

const pod = (uid: string, name = uid): Pod => samplePod({}, { metadata: { name, uid } });

/** A pod the runtime has; `source` as the sandbox remembers it. */
function listed(
  uid: string,
  name = uid,
  more: { source?: string; ready?: boolean } = {},
): [PodUid, ObservedPod] {
  const podUid = toPodUid(uid);
  const annotations = more.source === undefined ? {} : { [CONFIG_SOURCE_ANNOTATION]: more.source };
  const one = sandbox({ podUid, podName: name, annotations, ready: more.ready ?? true });
  return [podUid, { uid: podUid, sandboxes: [one], containers: [] }];
}

function setUp() {
  const clock = new FakeClock();
  const desired = new DesiredPods({ clock, events: new RecordingEvents(), sources: ['file', 'api'] });
  const logger = new RecordingLogger();
  const workers: ManualWorker[] = [];
  const gone: string[] = [];
  const world: { listed: Map<PodUid, ObservedPod> | undefined; leftOvers: () => Promise<Pod[]> } = {
    listed: new Map(),
    leftOvers: async () => [],
  };
  const supervisor = new PodSupervisor({
    desired,
    logger,
    createWorker: (uid) => {
      const worker = new ManualWorker(uid);
      workers.push(worker);
      return worker as unknown as PodWorker;
    },
    readListed: () => world.listed,
    readLeftOvers: async () => ({ pods: await world.leftOvers(), complete: true }),
  });
  supervisor.onGone(({ uid }) => {
    gone.push(`${uid} as ${desired.records.get(uid)?.termination?.cause}`);
    world.listed?.delete(uid);
  });
  const stop = new AbortController();
  const running = supervisor.run(stop.signal);
  const uids = (): string[] => workers.map(({ uid }) => uid);
  const worker = (uid: string): ManualWorker | undefined => workers.findLast((one) => one.uid === uid);
  const finish = async (uid: string): Promise<void> => {
    worker(uid)?.finish();
    await clock.settle();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  };
  return { clock, desired, supervisor, workers, gone, world, uids, worker, finish, end, logger, stop };
}

describe('PodSupervisor', () => {
  it('gives each pod one worker, and wakes it when what is wanted changes', async () => {
    const t = setUp();
    t.desired.deliver('api', [pod('a'), pod('b')]);
    t.supervisor.review();
    assert.deepEqual(t.uids(), ['a', 'b']);
    t.desired.deliver('api', [{ ...pod('a'), spec: { containers: [] } }, pod('b')]);
    assert.deepEqual(t.worker('a')?.heard, ['wake: desired state changed']);
    assert.deepEqual(t.worker('b')?.heard, []);
    await t.end();
  });

  it('starts nothing before the runtime was listed, and everything then', async () => {
    const t = setUp();
    t.world.listed = undefined;
    t.desired.deliver('api', [pod('a')]);
    t.supervisor.review();
    assert.deepEqual(t.uids(), []);
    t.world.listed = new Map();
    t.supervisor.review();
    assert.deepEqual(t.uids(), ['a']);
    await t.end();
  });

  it('an end and less time for it interrupt the pass; one that came by itself, or another cause, only wakes', async () => {
    const t = setUp();
    t.desired.deliver('api', [pod('a')]);
    const uid = toPodUid('a');
    t.desired.requestTermination(uid, { cause: 'completed' });
    t.desired.requestTermination(uid, { cause: 'evicted', graceSeconds: 9 });
    t.desired.requestTermination(uid, { cause: 'evicted', graceSeconds: 9 });
    t.desired.requestTermination(uid, { cause: 'evicted', graceSeconds: 2 });
    t.desired.deliver('api', []);
    assert.deepEqual(t.worker('a')?.heard, [
      'wake: desired state changed',
      'interrupt: terminating: evicted',
      'interrupt: terminating: evicted',
      'wake: desired state changed',
    ]);
    await t.end();
  });

  it('a start with an image the pod no longer names is interrupted, any other step is not', async () => {
    const t = setUp();
    const podOf = (main: string, side = 'side:1'): Pod =>
      samplePod(
        {
          containers: [
            { name: 'main', image: main },
            { name: 'side', image: side },
          ],
        },
        { metadata: { name: 'a', uid: 'a' } },
      );
    t.desired.deliver('api', [podOf('app:1')]);
    const worker = t.worker('a');
    assert.ok(worker);
    const action = { kind: 'start-container', container: { name: 'main', image: 'app:1' } };
    worker.activity = { pod: 'a', step: 'start', sinceMs: 0, action } as unknown as PodWorker['activity'];
    t.desired.deliver('api', [podOf('app:1', 'side:2')]);
    t.desired.deliver('api', [podOf('app:2', 'side:2')]);
    worker.activity = { pod: 'a', step: 'read', sinceMs: 0 };
    t.desired.deliver('api', [podOf('app:3', 'side:2')]);
    assert.deepEqual(worker.heard, [
      'wake: desired state changed',
      'interrupt: the image of a starting container changed',
      'wake: desired state changed',
    ]);
    await t.end();
  });

  it('the end of a pod is reported while its record is still there, then the pod is forgotten', async () => {
    const t = setUp();
    t.desired.deliver('api', [pod('a')]);
    t.desired.deliver('api', []);
    await t.finish('a');
    assert.deepEqual(t.gone, ['a as removed']);
    assert.equal(t.desired.records.size, 0);
    t.supervisor.wake(toPodUid('a'), 'late');
    assert.deepEqual(t.worker('a')?.heard.includes('wake: late'), false);
    await t.end();
  });

  it('a pod that was brought back meanwhile gets a new worker', async () => {
    const t = setUp();
    t.desired.deliver('file', [pod('a')]);
    t.desired.deliver('file', []);
    t.desired.deliver('file', [pod('a')]);
    assert.deepEqual(t.uids(), ['a']);
    await t.finish('a');
    assert.deepEqual(t.uids(), ['a', 'a']);
    await t.end();
  });

  it('a static pod starts only when nothing of the one before of its name is left', async () => {
    const t = setUp();
    t.desired.deliver('file', [pod('a-1', 'a')]);
    t.desired.deliver('file', [pod('a-2', 'a')]);
    t.desired.deliver('file', [pod('a-3', 'a')]);
    t.supervisor.review();
    assert.deepEqual(t.uids(), ['a-1']);
    assert.equal(t.desired.records.has(toPodUid('a-2')), false, 'one that never began just goes');
    await t.finish('a-1');
    assert.deepEqual(t.uids(), ['a-1', 'a-3']);
    await t.end();
  });

  it('pods of the API server do not wait for a namesake', async () => {
    const t = setUp();
    t.desired.deliver('api', [pod('a-1', 'a')]);
    t.desired.deliver('api', [pod('a-2', 'a')]);
    assert.deepEqual(t.uids(), ['a-1', 'a-2']);
    await t.end();
  });

  it('a static pod waits for its predecessor that only the runtime knows, before all sources are seen', async () => {
    const t = setUp();
    t.world.listed = new Map([
      listed('old', 'a', { source: 'file' }),
      listed('other', 'a', { source: 'api' }),
    ]);
    t.desired.deliver('file', [pod('new', 'a')]);
    assert.deepEqual(t.uids(), ['old']);
    assert.equal(t.desired.records.get(toPodUid('old'))?.termination?.cause, 'orphaned');
    await t.finish('old');
    assert.deepEqual(t.uids(), ['old', 'new']);
    await t.end();
  });

  it('ends what no source wants, once all sources were seen and not before', async () => {
    const t = setUp();
    t.world.listed = new Map([listed('x'), listed('a')]);
    t.desired.deliver('api', [pod('a')]);
    t.supervisor.review();
    assert.deepEqual(t.uids(), ['a']);
    t.desired.deliver('file', []);
    assert.deepEqual(t.uids(), ['a', 'x']);
    assert.deepEqual(t.desired.records.get(toPodUid('x'))?.termination?.graceSeconds, 1);
    await t.finish('x');
    t.supervisor.review();
    assert.deepEqual(t.uids(), ['a', 'x']);
    await t.end();
  });

  it('a manifest that cannot be used holds back pods of files and of unknown sources, and no others', async () => {
    const t = setUp();
    t.world.listed = new Map([
      listed('x', 'x', { source: 'api' }),
      listed('y', 'y', { source: 'file' }),
      listed('z'),
    ]);
    t.world.leftOvers = async () => [pod('left')];
    t.desired.deliver('file', [], false);
    t.desired.deliver('api', [pod('a')]);
    t.supervisor.review();
    await t.clock.settle();
    assert.deepEqual(t.uids(), ['a', 'x']);
    const held = t.logger.lines.filter(({ message }) => message.startsWith('a manifest cannot be used'));
    assert.deepEqual(
      held.map(({ fields }) => fields['podUid']),
      ['y', 'z'],
    );
    t.desired.deliver('file', []);
    await t.clock.settle();
    assert.deepEqual(t.uids(), ['a', 'x', 'y', 'z', 'left']);
    await t.end();
  });

  it('pods that left only directories end too; a look that failed is tried at the next review', async () => {
    const t = setUp();
    let looks = 0;
    t.world.leftOvers = async () => {
      if (++looks === 1) throw new Error('disk');
      return [pod('a'), pod('left')];
    };
    t.desired.deliver('api', [pod('a')]);
    t.desired.deliver('file', []);
    await t.clock.settle();
    assert.deepEqual(t.uids(), ['a']);
    t.supervisor.review();
    await t.clock.settle();
    t.supervisor.review();
    await t.clock.settle();
    assert.deepEqual(t.uids(), ['a', 'left']);
    assert.equal(looks, 2);
    await t.end();
  });

  it('names steps that began long ago', async () => {
    const t = setUp();
    t.desired.deliver('api', [pod('a'), pod('b'), pod('c')]);
    const [a, b] = t.workers;
    assert.ok(a && b);
    a.activity = { pod: 'default/a', step: 'pull', sinceMs: 1_000 };
    b.activity = { pod: 'default/b', step: 'pull', sinceMs: 5_000 };
    assert.deepEqual(t.supervisor.activities(5_000), [a.activity]);
    t.supervisor.wakeAll('network');
    assert.deepEqual(
      t.workers.map(({ heard }) => heard),
      [['wake: network'], ['wake: network'], ['wake: network']],
    );
    await t.end();
  });

  it('stopping ends the workers, reports no end, and starts nothing more', async () => {
    const t = setUp();
    t.desired.deliver('api', [pod('a')]);
    await t.end();
    t.desired.deliver('api', [pod('a'), pod('b')]);
    t.supervisor.review();
    assert.deepEqual([t.uids(), t.gone], [['a'], []]);
  });
});
