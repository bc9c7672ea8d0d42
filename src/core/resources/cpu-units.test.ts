import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  milliToQuota,
  milliToShares,
  quotaToMilli,
  sharesToMilli,
  sharesToWeight,
  weightToShares,
} from './cpu-units.ts';

function table(
  name: string,
  apply: (input: number) => number,
  rows: [input: number, output: number][],
): void {
  describe(name, () => {
    for (const [input, output] of rows) {
      it(`${input} becomes ${output}`, () => assert.equal(apply(input), output));
    }
  });
}

table('milliToShares', milliToShares, [
  [0, 2],
  [1, 2],
  [2, 2],
  [3, 3],
  [350, 358],
  [1000, 1024],
  [3800, 3891],
  [256_000, 262_144],
  [1_000_000, 262_144],
]);
table('milliToQuota in 100 ms', (milli) => milliToQuota(milli, 100_000), [
  [0, 0],
  [1, 1000],
  [5, 1000],
  [10, 1000],
  [333, 33_300],
  [1000, 100_000],
]);
table('milliToQuota in 50 ms', (milli) => milliToQuota(milli, 50_000), [[500, 25_000]]);
table('sharesToWeight', sharesToWeight, [
  [2, 1],
  [102, 4],
  [358, 14],
  [512, 20],
  [1024, 39],
  [2048, 79],
  [3891, 149],
  [262_144, 10_000],
]);
table('weightToShares', weightToShares, [
  [1, 2],
  [39, 998],
  [10_000, 262_144],
]);
table('sharesToMilli', sharesToMilli, [
  [0, 0],
  [1, 0],
  [2, 2],
  [1024, 1000],
  [358, 350],
]);
table('quotaToMilli', (quota) => quotaToMilli(quota, 100_000), [
  [-1, 0],
  [0, 0],
  [33_300, 333],
]);

describe('cpu units', () => {
  it('shares grow with the request and stay within the kernel range', () => {
    const milli = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(milli, milli, (a, b) => {
        const [low, high] = [milliToShares(Math.min(a, b)), milliToShares(Math.max(a, b))];
        assert.ok(2 <= low && low <= high && high <= 262_144);
      }),
    );
  });

  it('shares read back are within a thousandth of a core of the request', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 256_000 }), (milli) => {
        assert.ok(Math.abs(sharesToMilli(milliToShares(milli)) - milli) <= 1);
      }),
    );
  });
});
