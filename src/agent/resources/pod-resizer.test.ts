import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PodCondition, PodStatus } from '../../core/api/pod-status.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { Admission } from '../../core/node/admit-pod.ts';
import type { ResizeMeasurement } from '../../core/pod/resize-measurement.ts';
import { cpuMilli } from '../../core/resources/pod-resources.ts';
import { DesiredPods } from '../desired/desired-pods.ts';
import { PodAllocations } from './pod-allocations.ts';
import { PodResizer } from './pod-resizer.ts';

const ROOT = '/var/lib/kubelet';
const gates = { podLevel: true, initContainers: true };

function asking(uid: string, cpu: string, generation: number, status?: PodStatus): Pod {
  const resources = { requests: { cpu } };
  const metadata = { name: uid, uid, generation };
  return samplePod(
    { containers: [{ name: 'main', image: 'i', resources }] },
    { metadata, ...(status !== undefined && { status }) },
  );
}

const cpuOf = ({ spec }: Pod): number => cpuMilli(spec.containers[0]?.resources?.requests);

/** A node with one core; what does not fit waits, what asks for 9 cores never fits. */
function admit(pod: Pod, _granted: Pod, others: readonly Pod[]): Admission {
  const used = others.reduce((sum, other) => sum + cpuOf(other), 0);
  if (cpuOf(pod) >= 9000) return { ok: false, reason: 'Infeasible', message: 'never' };
  if (cpuOf(pod) + used <= 1000) return { ok: true, victims: [] };
  return { ok: false, reason: 'OutOfcpu', message: `${1000 - used} left` };
}

async function setUp(files = new FakeFiles()) {
  await files.makeDirectory(ROOT, 0o755);
  const clock = new FakeClock();
  const events = new RecordingEvents();
  const logger = new RecordingLogger();
  const allocations = new PodAllocations({ files, clock, logger, rootDir: ROOT, gates });
  await allocations.load();
  const desired = new DesiredPods({ clock, events, sources: ['api'], allocations });
  const changes: string[] = [];
  const onChange = (uid: string): void => void changes.push(uid);
  const news: ResizeMeasurement[] = [];
  const meter = { resized: (one: ResizeMeasurement) => void news.push(one) };
  const resizer = new PodResizer({ clock, logger, events, desired, allocations, admit, onChange, meter });
  const stop = new AbortController();
  const running = resizer.run(stop.signal);
  const deliver = async (...pods: Pod[]): Promise<void> => {
    desired.deliver('api', pods);
    await clock.settle();
  };
  const grantedTo = (uid: string): number => {
    const pod = desired.records.get(toPodUid(uid))?.pod;
    return pod === undefined ? -1 : cpuOf(pod);
  };
  const conditions = (uid: string): PodCondition[] => resizer.conditions(toPodUid(uid));
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    await allocations.flush();
    assert.equal(clock.pendingTimers, 0);
  };
  return {
    clock,
    files,
    events,
    allocations,
    desired,
    resizer,
    deliver,
    grantedTo,
    conditions,
    changes,
    news,
    end,
  };
}

describe('PodResizer', () => {
  it('grants what fits and records an event', async () => {
    const { deliver, grantedTo, conditions, events, changes, end } = await setUp();
    await deliver(asking('a', '100m', 1));
    assert.deepEqual(conditions('a'), []);
    await deliver(asking('a', '500m', 2));
    assert.equal(grantedTo('a'), 500);
    assert.deepEqual(conditions('a'), [
      { type: 'PodResizeInProgress', status: 'True', observedGeneration: 2 },
    ]);
    assert.deepEqual(
      events.events.map(({ type, reason, message }) => [type, reason, message]),
      [
        [
          'Normal',
          'ResizeStarted',
          'Pod resize started: {"containers":[{"name":"main","resources":{"requests":{"cpu":"500m"}}}],"generation":2}',
        ],
      ],
    );
    assert.ok(changes.includes('a'));
    await end();
  });

  it('a resize that does not fit keeps the granted resources, is reported once, and gets its turn when another pod goes', async () => {
    const { deliver, grantedTo, conditions, events, desired, end } = await setUp();
    await deliver(asking('a', '100m', 1), asking('b', '800m', 1));
    await deliver(asking('a', '500m', 2), asking('b', '800m', 1));
    assert.equal(grantedTo('a'), 100);
    assert.equal(desired.records.get(toPodUid('a'))?.pod.metadata.generation, 2);
    const waiting = { type: 'PodResizePending', status: 'True', reason: 'Deferred' };
    assert.deepEqual(conditions('a'), [{ ...waiting, message: '200 left', observedGeneration: 2 }]);
    await deliver(asking('a', '500m', 2), asking('b', '800m', 1), asking('c', '50m', 1));
    assert.deepEqual(conditions('a'), [{ ...waiting, message: '150 left', observedGeneration: 2 }]);
    assert.deepEqual(events.reasons(), ['ResizeDeferred']);
    assert.match(events.events[0]?.message ?? '', /^Pod resize OutOfcpu: .*"error":"200 left"}$/);
    await deliver(asking('a', '500m', 2), asking('c', '50m', 1));
    assert.equal(grantedTo('a'), 500);
    assert.deepEqual(events.reasons(), ['ResizeDeferred', 'ResizeStarted']);
    assert.equal(conditions('a').length, 1);
    await end();
  });

  it('gives what a shrinking pod held only when that is no longer in force', async () => {
    const { deliver, grantedTo, allocations, clock, end } = await setUp();
    const before = asking('b', '800m', 1);
    await deliver(asking('a', '100m', 1), before);
    allocations.notePodCgroup(before);
    const [wanted, smaller] = [asking('a', '700m', 2), asking('b', '200m', 2)];
    await deliver(wanted, smaller);
    assert.deepEqual([grantedTo('a'), grantedTo('b')], [100, 200]);
    allocations.noteContainer(smaller, { name: 'main', resources: { requests: { cpu: '200m' } } });
    await clock.settle();
    assert.equal(grantedTo('a'), 700);
    await end();
  });

  it('what can never be granted is not asked again until the spec changes', async () => {
    const { deliver, grantedTo, conditions, events, end } = await setUp();
    await deliver(asking('a', '100m', 1), asking('b', '100m', 1));
    await deliver(asking('a', '9', 2), asking('b', '100m', 1));
    assert.deepEqual(
      conditions('a').map(({ reason }) => reason),
      ['Infeasible'],
    );
    await deliver(asking('a', '9', 2));
    assert.deepEqual(events.reasons(), ['ResizeInfeasible']);
    await deliver(asking('a', '200m', 3));
    assert.deepEqual([grantedTo('a'), events.reasons()], [200, ['ResizeInfeasible', 'ResizeStarted']]);
    await end();
  });

  it('a wish that is taken back leaves no condition', async () => {
    const { deliver, conditions, changes, end } = await setUp();
    await deliver(asking('a', '100m', 1));
    await deliver(asking('a', '2', 2));
    assert.equal(conditions('a').length, 1);
    changes.length = 0;
    await deliver(asking('a', '100m', 3));
    assert.deepEqual(conditions('a'), []);
    assert.deepEqual(changes, ['a']);
    await end();
  });

  it('asks about what waits from time to time all the same', async () => {
    const { deliver, clock, end } = await setUp();
    await deliver(asking('a', '100m', 1));
    await clock.advance(1_000);
    assert.equal(clock.pendingTimers, 0);
    await deliver(asking('a', '2', 2));
    await clock.advance(1_000);
    assert.equal(clock.pendingTimers, 1);
    await end();
  });

  it('reports completion and failure under the generation that was granted', async () => {
    const { deliver, resizer, desired, conditions, events, end } = await setUp();
    await deliver(asking('a', '100m', 1));
    await deliver(asking('a', '500m', 2));
    await deliver(asking('a', '2', 3));
    const record = desired.records.get(toPodUid('a'));
    assert.ok(record);
    resizer.noteProgress(record, true);
    resizer.noteFailure(record, 'no');
    resizer.noteFailure(record, 'no');
    assert.deepEqual(conditions('a')[1], {
      type: 'PodResizeInProgress',
      status: 'True',
      observedGeneration: 2,
      reason: 'Error',
      message: 'no',
    });
    resizer.noteProgress(record, false);
    resizer.noteProgress(record, false);
    assert.deepEqual(
      conditions('a').map(({ type }) => type),
      ['PodResizePending'],
    );
    const recorded = events.events.filter(({ reason }) => /Error|Completed/.test(reason));
    assert.deepEqual(
      recorded.map(({ type, reason, message }) => [type, reason, message]),
      [
        [
          'Warning',
          'ResizeError',
          'Pod resize error: {"containers":[{"name":"main","resources":{"requests":{"cpu":"500m"}}}],"generation":2,"error":"no"}',
        ],
        [
          'Normal',
          'ResizeCompleted',
          'Pod resize completed: {"containers":[{"name":"main","resources":{"requests":{"cpu":"500m"}}}],"generation":2}',
        ],
      ],
    );
    await end();
  });

  it('the next life of the agent keeps what was granted and what waits', async () => {
    const first = await setUp();
    await first.deliver(asking('a', '100m', 1), asking('gone', '100m', 1));
    await first.deliver(asking('a', '2', 2), asking('gone', '100m', 1));
    const conditions = first.conditions('a');
    await first.end();
    const second = await setUp(first.files);
    await second.deliver(asking('a', '2', 2, { conditions }));
    assert.equal(second.grantedTo('a'), 100);
    assert.deepEqual(
      second.conditions('a').map(({ reason }) => reason),
      ['Deferred'],
    );
    assert.deepEqual(second.events.reasons(), []);
    await second.end();
  });

  it('counts wishes, what waits, and what made it go on', async () => {
    const { deliver, news, end } = await setUp();
    await deliver(asking('a', '100m', 1), asking('b', '800m', 1));
    await deliver(asking('a', '500m', 2), asking('b', '800m', 1));
    assert.deepEqual(news, [
      { kind: 'requested', resource: 'cpu', requirement: 'requests', operation: 'increase' },
      { kind: 'state', deferred: 1, infeasible: 0, inProgress: 0 },
    ]);
    news.length = 0;
    await deliver(asking('a', '500m', 2));
    assert.deepEqual(news[0], { kind: 'accepted', trigger: 'pod_terminated' });
    assert.deepEqual(news.at(-1), { kind: 'state', deferred: 0, infeasible: 0, inProgress: 1 });
    await end();
  });
});
