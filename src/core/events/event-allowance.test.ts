import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TokenBucket } from '../../base/async/token-bucket.ts';
import { EVENT_ALLOWANCE } from './event-allowance.ts';

function countAllowed(timesMs: readonly number[]): number {
  const bucket = new TokenBucket(EVENT_ALLOWANCE, timesMs[0] ?? 0);
  return timesMs.filter((timeMs) => bucket.tryTake(timeMs)).length;
}

describe('EVENT_ALLOWANCE', () => {
  it('allows 25 at once and one more every five minutes', () => {
    assert.equal(countAllowed(Array(100).fill(0)), 25);
    assert.equal(countAllowed([...Array(25).fill(0), 299_999]), 25);
    assert.equal(countAllowed([...Array(25).fill(0), 300_000, 300_001]), 26);
  });

  it('loses nothing when the clock is set back', () => {
    assert.equal(countAllowed([1_000_000, ...Array(24).fill(0)]), 25);
  });

  it('property: never allows more than the burst plus the refill', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { maxLength: 200 }), (gaps) => {
        let nowMs = 0;
        const times = gaps.map((gap) => (nowMs += gap));
        const passedMs = nowMs - (times[0] ?? 0);
        const allowed = countAllowed(times);
        assert.ok(allowed <= 25 + passedMs / 300_000 + 1e-6);
        assert.ok(allowed >= Math.min(times.length, 25));
      }),
    );
  });
});
