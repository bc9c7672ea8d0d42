import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { TurnQueue } from './turn-queue.ts';

describe('TurnQueue', () => {
  const never = new AbortController().signal;

  it('lets a burst through at once and the rest at the rate', async () => {
    const clock = new FakeClock();
    const queue = new TurnQueue(clock, { perSecond: 10, burst: 3 });
    const start = clock.now();
    const times: number[] = [];
    for (let i = 0; i < 6; i++) void queue.take(1, never).then(() => times.push(clock.now() - start));
    await clock.advance(1000);
    assert.deepEqual(times, [0, 0, 0, 100, 200, 300]);
    assert.equal(clock.pendingTimers, 0);
  });

  it('lets the smallest rank go first, equal ranks in order of arrival', async () => {
    const clock = new FakeClock();
    const queue = new TurnQueue(clock, { perSecond: 10, burst: 1 });
    const order: string[] = [];
    await queue.take(2, never);
    for (const [name, rank] of [
      ['event', 3],
      ['read', 2],
      ['status', 1],
      ['status2', 1],
    ] as const)
      void queue.take(rank, never).then(() => order.push(name));
    await clock.advance(1000);
    assert.deepEqual(order, ['status', 'status2', 'read', 'event']);
  });

  it('lets no call overtake those that wait, even when an unassigned token is there', async () => {
    const clock = new FakeClock();
    const queue = new TurnQueue(clock, { perSecond: 300, burst: 1 });
    const order: string[] = [];
    await queue.take(1, never);
    void queue.take(1, never).then(() => order.push('first'));
    await clock.advance(3.5);
    void queue.take(1, never).then(() => order.push('second'));
    await clock.advance(1);
    assert.deepEqual(order, ['first']);
    await clock.advance(10);
    assert.deepEqual(order, ['first', 'second']);
  });

  it('forgets a waiter whose signal aborts and gives its turn to the next', async () => {
    const clock = new FakeClock();
    const queue = new TurnQueue(clock, { perSecond: 1, burst: 1 });
    await queue.take(1, never);
    const stop = new AbortController();
    const given = assert.rejects(queue.take(1, stop.signal), /enough/);
    let went = false;
    void queue.take(1, never).then(() => {
      went = true;
    });
    stop.abort(new Error('enough'));
    await given;
    assert.equal(queue.waiting, 1);
    await clock.advance(1000);
    assert.equal(went, true);
  });

  it('leaves no timer behind when the last waiter gives up', async () => {
    const clock = new FakeClock();
    const queue = new TurnQueue(clock, { perSecond: 1, burst: 1 });
    await queue.take(1, never);
    const stop = new AbortController();
    const given = assert.rejects(queue.take(1, stop.signal));
    stop.abort();
    await given;
    assert.equal(clock.pendingTimers, 0);
  });

  it('has no limit at a rate of 0', async () => {
    const clock = new FakeClock();
    const queue = new TurnQueue(clock, { perSecond: 0, burst: 1 });
    for (let i = 0; i < 100; i++) await queue.take(1, never);
    assert.equal(clock.pendingTimers, 0);
  });
});
