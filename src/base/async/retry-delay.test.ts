import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { computeRetryDelay, type RetryPolicy } from './retry-delay.ts';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('computeRetryDelay', () => {
  it('doubles from the first delay and stays at the cap', () => {
    const policy: RetryPolicy = { initialMs: 100, maxMs: 5000 };
    const delays = [0, 1, 2, 5, 6, 7, 1000].map((failures) => computeRetryDelay(policy, failures, 0.9));
    assert.deepEqual(delays, [100, 200, 400, 3200, 5000, 5000, 5000]);
  });

  it('grows by the factor of the policy', () => {
    const policy: RetryPolicy = { initialMs: 10, maxMs: 10_000, factor: 5 };
    assert.deepEqual(
      [0, 1, 2, 3].map((failures) => computeRetryDelay(policy, failures, 0)),
      [10, 50, 250, 1250],
    );
  });

  it('spreads the upper half and never passes the cap', () => {
    const policy: RetryPolicy = { initialMs: 100, maxMs: 5000, least: 0.5, spread: 0.5 };
    fc.assert(
      fc.property(fc.nat(100), chance, (failures, random) => {
        const delayMs = computeRetryDelay(policy, failures, random);
        assert.ok(delayMs >= 50 && delayMs <= 5000);
      }),
    );
    assert.equal(computeRetryDelay(policy, 0, 0), 50);
  });

  it('stays finite whatever the number of failures', () => {
    fc.assert(
      fc.property(fc.nat(), chance, (failures, random) => {
        const delayMs = computeRetryDelay({ initialMs: 0, maxMs: 10, factor: 4 }, failures, random);
        assert.equal(delayMs, 0);
      }),
    );
  });
});
