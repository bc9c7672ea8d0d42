import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { BoundedWaitCache } from './bounded-wait-cache.ts';

function setUp(read: (call: number) => Promise<string>) {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  let calls = 0;
  const reading = new BoundedWaitCache({
    clock,
    maxAgeMs: 30_000,
    patienceMs: 1_000,
    read: () => read(++calls),
    onError: (error) => errors.push(error),
  });
  const stop = new AbortController();
  return {
    clock,
    errors,
    stop,
    calls: () => calls,
    get: () => clock.finish(reading.get(stop.signal)),
    reading,
  };
}

describe('BoundedWaitCache', () => {
  it('reads again only when the answer is old', async () => {
    const { clock, get, calls } = setUp(async (call) => `answer ${call}`);
    assert.equal(await get(), 'answer 1');
    await clock.advance(29_999);
    assert.equal(await get(), 'answer 1');
    await clock.advance(1);
    assert.equal(await get(), 'answer 2');
    assert.equal(calls(), 2);
    assert.equal(clock.pendingTimers, 0);
  });

  it('a reading that hangs is waited for once, and not started a second time', async () => {
    const { clock, get, calls } = setUp((call) =>
      call === 1 ? Promise.resolve('old') : new Promise(() => {}),
    );
    await get();
    await clock.advance(30_000);
    const before = clock.now();
    assert.equal(await get(), 'old');
    assert.equal(clock.now() - before, 1_000);
    assert.equal(await get(), 'old');
    assert.equal(clock.now() - before, 1_000);
    assert.equal(calls(), 2);
  });

  it('a failure is reported and leaves the last answer', async () => {
    const { clock, get, errors } = setUp(async (call) => {
      if (call === 2) throw new Error('no');
      return `answer ${call}`;
    });
    await get();
    await clock.advance(30_000);
    assert.equal(await get(), 'answer 1');
    assert.equal(errors.length, 1);
    await clock.advance(30_000);
    assert.equal(await get(), 'answer 3');
  });

  it('stop ends the waiting', async () => {
    const { clock, reading, stop } = setUp(() => new Promise(() => {}));
    const answer = reading.get(stop.signal);
    stop.abort();
    assert.equal(await answer, undefined);
    assert.equal(clock.pendingTimers, 0);
  });
});
