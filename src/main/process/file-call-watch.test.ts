import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FileCallWatch } from './file-call-watch.ts';

describe('FileCallWatch', () => {
  it('fails when a trivial file call does not answer in ten seconds, and until it does', async () => {
    const clock = new FakeClock();
    let hang: PromiseWithResolvers<void> | undefined;
    let calls = 0;
    const touch = async (): Promise<void> => {
      calls++;
      await hang?.promise;
    };
    const watch = new FileCallWatch({ clock, touch });
    const stop = new AbortController();
    const running = watch.run(stop.signal);
    const { check } = watch.check;
    await clock.advance(42_000);
    assert.deepEqual([check(), calls], [undefined, 3]);
    hang = Promise.withResolvers();
    await clock.advance(27_900);
    assert.equal(check(), undefined);
    await clock.advance(100);
    assert.equal(check(), 'a file call has not answered for 10s: all threads for file work are taken');
    await clock.advance(90_000);
    assert.equal(calls, 4, 'no second call takes a thread meanwhile');
    hang.resolve();
    await clock.settle();
    assert.equal(check(), undefined);
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });

  it('takes a failure for an answer', async () => {
    const clock = new FakeClock();
    const watch = new FileCallWatch({ clock, touch: () => Promise.reject(new Error('ENOENT')) });
    const stop = new AbortController();
    const running = watch.run(stop.signal);
    await clock.advance(30_000);
    assert.equal(watch.check.check(), undefined);
    stop.abort();
    await running;
  });
});
