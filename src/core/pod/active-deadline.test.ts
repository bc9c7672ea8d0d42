import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inShort, instanceOf, podFacts } from '../../../test/samples/sample-facts.ts';
import { NOW, NOW_MS, observe, samplePod } from '../../../test/samples/sample-pods.ts';
import { computeStartMs, DEADLINE_VERDICT } from './active-deadline.ts';
import { decidePod } from './decide-pod.ts';

const pod = samplePod({ activeDeadlineSeconds: 60 });
const [main] = pod.spec.containers;

describe('computeStartMs', () => {
  it('is what was published, else what the API server knows, else the oldest sandbox, else now', () => {
    const published = { startTime: NOW };
    const observed = observe([]);
    const oldest = Math.min(...observed.sandboxes.map(({ createdAtMs }) => createdAtMs));
    const later = NOW_MS + 3_600_000;
    assert.equal(computeStartMs(pod, published, observed, later), NOW_MS);
    assert.equal(computeStartMs({ ...pod, status: published }, undefined, observed, later), NOW_MS);
    assert.equal(computeStartMs(pod, undefined, observed, later), oldest);
    assert.equal(computeStartMs(pod, undefined, { ...observed, sandboxes: [] }, later), later);
  });
});

describe('decidePod with an active deadline', () => {
  it('continues before the deadline and wakes for it', () => {
    const plan = decidePod(podFacts({ pod, startedAtMs: NOW_MS - 59_999 }));
    assert.deepEqual(inShort(plan.actions), ['start main']);
    assert.equal(plan.wakeAtMs, NOW_MS + 1);
    assert.equal(plan.deadlineAtMs, NOW_MS + 1);
    assert.equal(plan.pastDeadline, undefined);
  });

  it('keeps an earlier wake-up', () => {
    assert.ok(main);
    const ended = instanceOf(main, 'exited', { details: { exitCode: 1, finishedAtMs: NOW_MS - 1_000 } });
    const crashed = podFacts({ pod, observed: observe([ended]), startedAtMs: NOW_MS });
    const without = decidePod({ ...crashed, pod: samplePod() });
    const plan = decidePod(crashed);
    assert.equal(plan.wakeAtMs, Math.min(without.wakeAtMs ?? Number.POSITIVE_INFINITY, NOW_MS + 60_000));
  });

  it('at the deadline starts nothing and asks for the end', () => {
    const plan = decidePod(podFacts({ pod, startedAtMs: NOW_MS - 60_000 }));
    assert.deepEqual(plan.actions, []);
    assert.equal(plan.pastDeadline, true);
    assert.equal(plan.completed, false);
  });

  it('a pod that has run to its end is completed, even after the deadline', () => {
    assert.ok(main);
    const never = samplePod({ activeDeadlineSeconds: 60, restartPolicy: 'Never' });
    const ended = instanceOf(main, 'exited', { details: { exitCode: 0 } });
    const plan = decidePod(podFacts({ pod: never, observed: observe([ended]), startedAtMs: 0 }));
    assert.equal(plan.completed, true);
    assert.equal(plan.pastDeadline, undefined);
  });
});

describe('DEADLINE_VERDICT', () => {
  it('has the reason and message of the API', () => {
    assert.deepEqual(DEADLINE_VERDICT, {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  });
});
