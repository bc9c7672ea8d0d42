import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { sleep } from './clock.ts';

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
