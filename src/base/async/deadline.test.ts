import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { Deadline } from './deadline.ts';

describe('Deadline', () => {
  it('expires after its time, with the reason given', async () => {
    const clock = new FakeClock();
    using deadline = new Deadline(clock, { timeoutMs: 100, reason: 'late' });
    await clock.advance(99);
    assert.equal(deadline.signal.aborted, false);
    await clock.advance(1);
    assert.deepEqual([deadline.signal.aborted, deadline.expired], [true, true]);
    assert.equal(deadline.signal.reason, 'late');
  });

  it('aborts with the signal of the caller and its reason, and does not count as expired', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    using deadline = new Deadline(clock, { timeoutMs: 100, signal: stop.signal });
    stop.abort('stopped');
    assert.equal(deadline.signal.reason, 'stopped');
    await clock.advance(100);
    assert.equal(deadline.expired, false);
  });

  it('starts no timer for a signal that has aborted, or without a limit', () => {
    const clock = new FakeClock();
    using aborted = new Deadline(clock, { timeoutMs: 100, signal: AbortSignal.abort('before') });
    using unlimited = new Deadline(clock, {});
    assert.equal(aborted.signal.reason, 'before');
    assert.equal(unlimited.signal.aborted, false);
    assert.equal(clock.pendingTimers, 0);
  });

  it('leaves no timer and no listener when the call is over, and aborts what hangs on it', () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const deadline = new Deadline(clock, { timeoutMs: 100, signal });
    deadline[Symbol.dispose]();
    assert.equal(clock.pendingTimers, 0);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.deepEqual([deadline.signal.aborted, deadline.expired], [true, false]);
  });
});
