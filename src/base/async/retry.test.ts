import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { retry, retryUntilStopped } from './retry.ts';

const policy = { initialMs: 100, maxMs: 300 };

describe('retry', () => {
  it('tries at once, then after growing delays, until it succeeds', async () => {
    const clock = new FakeClock();
    const { work, triedAtMs } = failing(clock, 4);
    assert.equal(await clock.finish(retry(work, { clock, policy })), 'done');
    assert.deepEqual(triedAtMs, [0, 100, 300, 600, 900]);
    assert.equal(clock.pendingTimers, 0);
  });

  it('rejects with an error that is not retried', async () => {
    const clock = new FakeClock();
    const { work, triedAtMs } = failing(clock, 9);
    const seen: unknown[] = [];
    const mayRetry = (error: unknown, failures: number, delayMs: number): boolean => {
      seen.push([(error as Error).message, failures, delayMs]);
      return failures < 3;
    };
    await assert.rejects(clock.finish(retry(work, { clock, policy, mayRetry })), /failure 3/);
    assert.equal(triedAtMs.length, 3);
    assert.deepEqual(seen, [
      ['failure 1', 1, 100],
      ['failure 2', 2, 200],
      ['failure 3', 3, 300],
    ]);
  });

  it('adds jitter to its delays', async () => {
    const clock = new FakeClock();
    const { work, triedAtMs } = failing(clock, 1);
    const settings = { clock, policy: { ...policy, spread: 0.5 }, random: () => 0.5 };
    await clock.finish(retry(work, settings));
    assert.deepEqual(triedAtMs, [0, 125]);
  });

  it('rejects with the last error as soon as the signal aborts', async () => {
    const clock = new FakeClock();
    const { work, triedAtMs } = failing(clock, 9);
    const stop = new AbortController();
    const retrying = assert.rejects(retry(work, { clock, policy, signal: stop.signal }), /failure 2/);
    await clock.advance(150);
    stop.abort();
    await retrying;
    assert.equal(triedAtMs.length, 2);
    assert.equal(clock.pendingTimers, 0);
  });
});

describe('retryUntilStopped', () => {
  it('reports each failure with the wait that follows and returns the result', async () => {
    const clock = new FakeClock();
    const { work } = failing(clock, 2);
    const seen: unknown[] = [];
    const onFailure = (error: unknown, delayMs: number): void => {
      seen.push([(error as Error).message, delayMs]);
    };
    const { signal: stop } = new AbortController();
    assert.equal(await clock.finish(retryUntilStopped(work, { clock, policy, stop, onFailure })), 'done');
    assert.deepEqual(seen, [
      ['failure 1', 100],
      ['failure 2', 200],
    ]);
  });

  it('is undefined when stopped before, during or between attempts, and reports no failure then', async () => {
    const clock = new FakeClock();
    const onFailure = (): void => {};
    const never = (): never => assert.fail('tried');
    const stopped = { clock, policy, stop: AbortSignal.abort(), onFailure };
    assert.equal(await retryUntilStopped(never, stopped), undefined);

    const stop = new AbortController();
    const waiting = retryUntilStopped(failing(clock, 9).work, { ...stopped, stop: stop.signal });
    await clock.settle();
    stop.abort();
    assert.equal(await waiting, undefined);

    const during = new AbortController();
    const cut = async (): Promise<never> => {
      during.abort();
      throw new Error('cancelled');
    };
    const silent = { ...stopped, stop: during.signal, onFailure: () => assert.fail('reported') };
    assert.equal(await retryUntilStopped(cut, silent), undefined);
    assert.equal(clock.pendingTimers, 0);
  });
});

/** Fails this many times; times are since the first attempt. */
function failing(clock: FakeClock, failures: number): { work: () => Promise<string>; triedAtMs: number[] } {
  const startMs = clock.now();
  const triedAtMs: number[] = [];
  const work = async (): Promise<string> => {
    triedAtMs.push(clock.now() - startMs);
    if (triedAtMs.length <= failures) throw new Error(`failure ${triedAtMs.length}`);
    return 'done';
  };
  return { work, triedAtMs };
}
