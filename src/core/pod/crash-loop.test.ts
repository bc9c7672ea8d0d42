import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CRASH_LOOP } from '../../../test/samples/sample-facts.ts';
import { exited, instance, NOW_MS, observe, samplePod } from '../../../test/samples/sample-pods.ts';
import type { Container } from '../api/pod.ts';
import type { CrashLoopEntry } from '../model/crash-loop-entry.ts';
import { toContainerId } from '../model/ids.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import { computeBackOffKey } from './back-off-key.ts';
import { decideCrashLoop } from './crash-loop.ts';

const main: Container = { name: 'main', image: 'app:1' };
const pod = samplePod();
const key = computeBackOffKey(pod, main);

const ended = (finishedAtMs: number) => exited('main', 1, { details: { finishedAtMs } });

function decide(
  containers: readonly ObservedContainer[],
  nowMs: number,
  entry?: CrashLoopEntry,
  agentStartedAtMs = 0,
) {
  const crashLoops = new Map(entry === undefined ? [] : [[key, entry]]);
  const observed = observe(containers);
  return decideCrashLoop(
    { pod, observed, crashLoops, crashLoopPolicy: CRASH_LOOP, nowMs, agentStartedAtMs },
    main,
  );
}

/** Crashes `times` times, each `runMs` after its start, and returns how long each restart waited. */
function crashDelays(times: number, runMs: number): number[] {
  let entry: CrashLoopEntry | undefined;
  let nowMs = NOW_MS;
  const delays: number[] = [];
  for (let crash = 0; crash < times; crash++) {
    const finishedAtMs = nowMs + runMs;
    nowMs = finishedAtMs;
    const first = decide([ended(finishedAtMs)], nowMs, entry);
    if (first.kind === 'wait') nowMs = first.untilMs;
    const answer = decide([ended(finishedAtMs)], nowMs, entry);
    assert.equal(answer.kind, 'start', 'the wake-up is exactly the end of the wait');
    entry = answer.kind === 'start' ? answer.remember?.entry : undefined;
    delays.push((nowMs - finishedAtMs) / 1000);
  }
  return delays;
}

describe('decideCrashLoop', () => {
  it('restarts at once, then after 10, 20, 40 … at most 300 s from the end', () => {
    assert.deepEqual(crashDelays(9, 1_000), [0, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('resets the series after a run of more than ten minutes', () => {
    assert.deepEqual(crashDelays(3, 600_001), [0, 0, 0]);
    assert.deepEqual(crashDelays(3, 600_000), [0, 10, 20]);
  });

  it('doubles the delay after a run of exactly ten minutes and resets it after more', () => {
    const entry = { delayMs: 40_000, updatedAtMs: NOW_MS };
    const delayOf = (finishedAtMs: number) => {
      const answer = decide([ended(finishedAtMs)], finishedAtMs + 300_000, entry);
      return answer.kind === 'start' ? answer.remember?.entry.delayMs : undefined;
    };
    assert.deepEqual([delayOf(NOW_MS + 600_000), delayOf(NOW_MS + 600_001)], [80_000, 10_000]);
  });

  it('allows the first start without recording it', () => {
    assert.deepEqual(decide([], NOW_MS), { kind: 'start' });
    assert.deepEqual(decide([instance('main', 'created')], NOW_MS), { kind: 'start' });
    assert.deepEqual(decide([exited('other', 1)], NOW_MS), { kind: 'start' });
  });

  it('counts the last end also while a newer instance runs', () => {
    const containers = [instance('main', 'running', { id: 'main-2' }), ended(NOW_MS - 1_000)];
    const entry = { delayMs: 40_000, updatedAtMs: NOW_MS - 20_000 };
    const answer = decide(containers, NOW_MS, entry);
    assert.equal(answer.kind === 'wait' && answer.untilMs, NOW_MS + 39_000);
  });

  describe('a start that was allowed by an agent that then died', () => {
    const endedAtMs = NOW_MS - 15_000;
    // It was allowed after ten seconds, so the next one has to wait for twenty.
    const entry = { delayMs: 20_000, updatedAtMs: NOW_MS - 5_000 };
    const since = (agentStartedAtMs: number, ...newer: ObservedContainer[]) =>
      decide([...newer, ended(endedAtMs)], NOW_MS, entry, agentStartedAtMs);

    it('is repeated at once, and counted once', () => {
      const after = ended(endedAtMs).id;
      const expected = { kind: 'start', remember: { key, entry: { ...entry, updatedAtMs: NOW_MS, after } } };
      assert.deepEqual(since(NOW_MS - 1_000), expected);
      assert.deepEqual(since(NOW_MS - 1_000, instance('main', 'created', { id: 'main-2' })), expected);
    });

    it('waits for its back-off if this agent allowed it, or if it was performed', () => {
      assert.equal(since(NOW_MS - 5_000).kind, 'wait');
      assert.equal(since(NOW_MS - 1_000, instance('main', 'running', { id: 'main-2' })).kind, 'wait');
      const before = { delayMs: 20_000, updatedAtMs: endedAtMs - 1 };
      assert.equal(decide([ended(endedAtMs)], NOW_MS, before, NOW_MS - 1_000).kind, 'wait');
    });
  });

  it('names container, pod and delay', () => {
    const answer = decide([ended(NOW_MS)], NOW_MS, { delayMs: 80_000, updatedAtMs: NOW_MS - 5 });
    assert.deepEqual(answer.kind === 'wait' && answer.waiting, {
      reason: 'CrashLoopBackOff',
      message: 'back-off 1m20s restarting failed container=main pod=web_default(uid-1)',
    });
  });

  it('counts from the creation when the runtime does not report the end', () => {
    const lost = { ...instance('main', 'exited', { createdAtMs: NOW_MS - 3_000 }), details: undefined };
    const { details: _, ...listed } = lost;
    const answer = decide([listed], NOW_MS, { delayMs: 10_000, updatedAtMs: NOW_MS - 4_000 });
    assert.equal(answer.kind === 'wait' && answer.untilMs, NOW_MS + 7_000);
  });

  describe('where the clock was set back, so that the runtime reports times long before ours', () => {
    const HOUR = 3_600_000;
    const after = toContainerId('main-0');
    const entry = { delayMs: 20_000, updatedAtMs: NOW_MS, after };
    /** It ran for so long after the start that was allowed just now. */
    const endedAfter = (ranMs: number): ObservedContainer => {
      const startedAtMs = NOW_MS - 5 * HOUR;
      return exited('main', 1, { details: { startedAtMs, finishedAtMs: startedAtMs + ranMs } });
    };

    it('waits for the back-off all the same, counted from when it must have ended', () => {
      const answer = decide([endedAfter(3_000)], NOW_MS + 3_500, entry);
      assert.equal(answer.kind === 'wait' && answer.untilMs, NOW_MS + 23_000);
      assert.equal(decide([endedAfter(3_000)], NOW_MS + 23_000, entry).kind, 'start');
    });

    it('resets the series after a long run', () => {
      const answer = decide([endedAfter(600_001)], NOW_MS + 600_500, entry);
      assert.equal(answer.kind === 'start' && answer.remember?.entry.delayMs, 10_000);
    });

    it('counts by the times of the runtime what the start has not followed yet', () => {
      const same = { ...endedAfter(3_000), id: after };
      assert.equal(decide([same], NOW_MS + 3_500, entry).kind, 'start');
    });

    it('counts by the times of the runtime when the kubelet has started since, with the same clock', () => {
      const answer = decide([endedAfter(3_000)], NOW_MS - 5 * HOUR + 4_000, entry);
      assert.equal(answer.kind === 'wait' && answer.untilMs, NOW_MS - 5 * HOUR + 23_000);
    });
  });

  it('forgets the series when the image changes', () => {
    const crashLoops = new Map([[key, { delayMs: 80_000, updatedAtMs: NOW_MS }]]);
    const facts = {
      pod,
      observed: observe([ended(NOW_MS)]),
      crashLoops,
      crashLoopPolicy: CRASH_LOOP,
      nowMs: NOW_MS,
    };
    assert.equal(decideCrashLoop(facts, { ...main, image: 'app:2' }).kind, 'start');
    assert.equal(decideCrashLoop(facts, main).kind, 'wait');
  });

  it('waits exactly until end plus delay, for all times', () => {
    const ms = fc.integer({ min: 0, max: 900_000 });
    fc.assert(
      fc.property(ms, ms, fc.constantFrom(10_000, 20_000, 300_000), (sinceStart, sinceEnd, delayMs) => {
        const finishedAtMs = NOW_MS + sinceStart;
        const nowMs = finishedAtMs + sinceEnd;
        const answer = decide([ended(finishedAtMs)], nowMs, { delayMs, updatedAtMs: NOW_MS });
        const waits = sinceStart <= 600_000 && sinceEnd < delayMs;
        assert.equal(answer.kind, waits ? 'wait' : 'start');
        if (answer.kind === 'wait') assert.equal(answer.untilMs, finishedAtMs + delayMs);
        else assert.equal(answer.remember?.entry.updatedAtMs, nowMs);
      }),
    );
  });
});
