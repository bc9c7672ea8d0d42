import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { sleep, sleepUntil, startTimerAt } from './clock.ts';

const HOUR = 3_600_000;

describe('startTimerAt', () => {
  it('fires once, when its time has come', async () => {
    const clock = new FakeClock();
    let fired = 0;
    startTimerAt(clock, clock.now() + 2 * HOUR, () => fired++);
    startTimerAt(clock, clock.now() - 1, () => fired++);
    await clock.advance(2 * HOUR - 1);
    assert.equal(fired, 1);
    await clock.advance(HOUR);
    assert.equal(fired, 2);
    assert.equal(clock.pendingTimers, 0);
  });

  it('fires within five minutes after the clock was set past its time', async () => {
    const clock = new FakeClock();
    let fired = 0;
    startTimerAt(clock, clock.now() + 4 * HOUR, () => fired++);
    await clock.advance(HOUR);
    clock.setBy(5 * HOUR);
    await clock.advance(300_000);
    assert.equal(fired, 1);
  });

  it('leaves no timer when it is disposed, and does not look again for a time that never comes', async () => {
    const clock = new FakeClock();
    const timer = startTimerAt(clock, clock.now() + HOUR, () => assert.fail());
    await clock.advance(HOUR / 2);
    timer[Symbol.dispose]();
    assert.equal(clock.pendingTimers, 0);
    startTimerAt(clock, Number.POSITIVE_INFINITY, () => assert.fail());
    assert.equal(clock.nextTimerAtMs, Number.POSITIVE_INFINITY);
  });
});

describe('sleepUntil', () => {
  it('ends at its time, also one that the clock was set past, and at once when the signal aborts', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    let ended = 0;
    void sleepUntil(clock, clock.now() + HOUR, abort.signal).then(() => ended++);
    void sleepUntil(clock, clock.now() + 20 * HOUR, abort.signal).then(() => ended++);
    clock.setBy(2 * HOUR);
    await clock.advance(300_000);
    assert.equal(ended, 1);
    abort.abort();
    await clock.settle();
    assert.equal(ended, 2);
    assert.equal(clock.pendingTimers, 0);
  });
});

describe('sleep', () => {
  it('ends at its time and not before', async () => {
    const clock = new FakeClock();
    let ended = false;
    void sleep(clock, 100).then(() => {
      ended = true;
    });
    await clock.advance(99);
    assert.equal(ended, false);
    await clock.advance(1);
    assert.equal(ended, true);
  });

  it('ends at once when the signal aborts and leaves no timer', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const slept = sleep(clock, 1000, abort.signal);
    assert.equal(clock.pendingTimers, 1);
    abort.abort();
    await slept;
    assert.equal(clock.pendingTimers, 0);
  });

  it('does not start a timer for a signal that is aborted already', async () => {
    const clock = new FakeClock();
    await sleep(clock, 1000, AbortSignal.abort());
    assert.equal(clock.pendingTimers, 0);
  });

  it('leaves no listener on the signal after its time', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    let added = 0;
    let removed = 0;
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      added++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      removed++;
      remove(...args);
    };
    const slept = sleep(clock, 10, signal);
    await clock.advance(10);
    await slept;
    assert.deepEqual([added, removed], [1, 1]);
  });
});
