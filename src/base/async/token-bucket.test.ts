import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TokenBucket } from './token-bucket.ts';

function make(perSecond: number, burst: number) {
  const time = { nowMs: 1_000 };
  const bucket = new TokenBucket({ perSecond, burst }, time.nowMs);
  const take = (times: number): number =>
    Array.from({ length: times }, () => bucket.tryTake(time.nowMs)).filter(Boolean).length;
  return { time, take, bucket };
}

describe('TokenBucket', () => {
  it('gives the burst at once, then as fast as tokens flow in', () => {
    const { time, take } = make(5, 10);
    assert.equal(take(20), 10);
    time.nowMs += 199;
    assert.equal(take(1), 0);
    time.nowMs += 1;
    assert.equal(take(2), 1);
  });

  it('keeps no more than the burst', () => {
    const { time, take } = make(5, 3);
    time.nowMs += 3_600_000;
    assert.equal(take(10), 3);
  });

  it('has no limit at a rate of 0', () => assert.equal(make(0, 1).take(1_000), 1_000));

  it('gives one at a time when no burst is allowed', () => assert.equal(make(5, 0).take(3), 1));

  it('follows a rate that changes while it is in use', () => {
    const rate = { perSecond: 1, burst: 2 };
    const bucket = new TokenBucket(rate, 0);
    for (const expected of [true, true, false]) assert.equal(bucket.tryTake(0), expected);
    rate.perSecond = 10;
    assert.equal(bucket.tryTake(100), true);
    rate.perSecond = 0;
    assert.equal(bucket.tryTake(100), true);
    assert.equal(bucket.msUntilNext(100), 0);
  });

  it('loses no tokens when the clock is set back', () => {
    const { time, take } = make(1, 2);
    time.nowMs -= 10_000;
    assert.equal(take(3), 2);
    time.nowMs += 1_000;
    assert.equal(take(1), 1);
  });

  it('never gives more than burst plus rate times time', () => {
    const steps = fc.array(fc.tuple(fc.nat(2_000), fc.nat(5)));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        steps,
        (rate, burst, asks) => {
          const { time, take } = make(rate, burst);
          let given = 0;
          for (const [waitMs, times] of asks) {
            time.nowMs += waitMs;
            given += take(times);
            assert.ok(given <= burst + (rate * (time.nowMs - 1_000)) / 1_000 + 1e-6);
          }
        },
      ),
    );
  });

  it('knows how long it takes until the next token', () => {
    const { time, take, bucket } = make(5, 2);
    assert.equal(bucket.msUntilNext(time.nowMs), 0);
    take(2);
    assert.equal(bucket.msUntilNext(time.nowMs), 200);
    time.nowMs += 150;
    assert.equal(Math.round(bucket.msUntilNext(time.nowMs)), 50);
    time.nowMs += 50;
    assert.equal(bucket.msUntilNext(time.nowMs), 0);
    assert.equal(make(0, 1).bucket.msUntilNext(0), 0);
  });
});
