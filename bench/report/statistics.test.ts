import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeSpread, fitLine, median, percentile } from './statistics.ts';

describe('statistics of measurements', () => {
  it('median: the middle one, or the mean of the two in the middle', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 3, 2]), 2.5);
    assert.ok(Number.isNaN(median([])));
  });

  it('percentile: the smallest value that so many do not exceed', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    assert.equal(percentile(values, 0.5), 50);
    assert.equal(percentile(values, 0.99), 99);
    assert.equal(percentile([7], 0.5), 7);
    assert.equal(percentile([1, 2], 0), 1);
  });

  it('computeSpread: the ends and the middle', () => {
    assert.deepEqual(computeSpread([3, 1, 2]), { min: 1, median: 2, max: 3 });
  });

  it('fitLine: finds the slope of a line exactly', () => {
    const { slope, margin } = fitLine(Array.from({ length: 50 }, (_, n) => [n, 3 * n + 7] as const));
    assert.ok(Math.abs(slope - 3) < 1e-9);
    assert.ok(margin < 1e-6);
  });

  it('fitLine: a saw without growth is indistinguishable from level, one that grows is not', () => {
    const saw = (growth: number) =>
      Array.from({ length: 400 }, (_, n) => [n, 80 + (n % 7) + growth * n] as const);
    const level = fitLine(saw(0));
    assert.ok(Math.abs(level.slope) <= level.margin, `${level.slope} within ${level.margin}`);
    const growing = fitLine(saw(0.05));
    assert.ok(growing.slope > growing.margin, `${growing.slope} above ${growing.margin}`);
  });
});
