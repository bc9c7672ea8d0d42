import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { samplePod, UID } from '../../../test/samples/sample-pods.ts';
import type { TerminationRequest } from '../../core/model/termination.ts';
import { DesiredPods } from '../desired/desired-pods.ts';
import { computeKillPatience, watchOverdueKills } from './overdue-kills.ts';

describe('computeKillPatience', () => {
  it('is half as long again as the grace, and at least 10 s', () => {
    assert.deepEqual([0, 6, 7, 30].map(computeKillPatience), [10_000, 10_000, 10_500, 45_000]);
  });
});

describe('watchOverdueKills', () => {
  async function eventsAfter(
    seconds: number,
    request: TerminationRequest,
    more: { hasEnded?: boolean; isGone?: boolean } = {},
  ): Promise<string[]> {
    const clock = new FakeClock();
    const events = new RecordingEvents();
    const desired = new DesiredPods({ clock, events, sources: ['api'] });
    const stop = new AbortController();
    const hasEnded = (): boolean => more.hasEnded ?? false;
    const watching = watchOverdueKills({ clock, events, desired, hasEnded }, stop.signal);
    desired.deliver('api', [samplePod()]);
    desired.requestTermination(UID, request);
    if (more.isGone === true) desired.forget(UID);
    await clock.advance(seconds * 1_000);
    stop.abort();
    await watching;
    assert.equal(clock.pendingTimers, 0);
    return events.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
  }

  const overdue = [
    'Warning ExceededGracePeriod Container runtime did not kill the pod within specified grace period.',
  ];
  const slow = { graceSeconds: 20 };

  it('records one event for a preempted pod that does not end', async () => {
    for (const cause of ['preempted', 'evicted', 'shutdown'] as const) {
      assert.deepEqual(await eventsAfter(29, { cause, ...slow }), []);
      assert.deepEqual(await eventsAfter(300, { cause, ...slow }), overdue);
    }
  });

  it('says nothing of one that has ended or gone, nor of ends that others asked for', async () => {
    assert.deepEqual(await eventsAfter(300, { cause: 'evicted', ...slow }, { hasEnded: true }), []);
    assert.deepEqual(await eventsAfter(300, { cause: 'evicted', ...slow }, { isGone: true }), []);
    assert.deepEqual(await eventsAfter(300, { cause: 'deleted', ...slow }), []);
    assert.deepEqual(await eventsAfter(300, { cause: 'deadline', ...slow }), []);
  });
});
