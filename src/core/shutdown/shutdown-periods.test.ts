import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sumPeriods, toShutdownPeriods } from './shutdown-periods.ts';

const none = { totalMs: 0, criticalMs: 0, byPriority: [] };

describe('toShutdownPeriods', () => {
  it('makes two of a total and the part of critical pods', () => {
    assert.deepEqual(toShutdownPeriods({ ...none, totalMs: 30_000, criticalMs: 10_000 }), [
      { priority: 0, seconds: 20 },
      { priority: 2_000_000_000, seconds: 10 },
    ]);
  });

  it('counts whole seconds', () => {
    assert.deepEqual(toShutdownPeriods({ ...none, totalMs: 3_900, criticalMs: 1_500 }), [
      { priority: 0, seconds: 2 },
      { priority: 2_000_000_000, seconds: 1 },
    ]);
  });

  it('is empty without a total, or with more for critical pods than there is', () => {
    assert.deepEqual(toShutdownPeriods(none), []);
    assert.deepEqual(toShutdownPeriods({ ...none, criticalMs: 5_000 }), []);
    assert.deepEqual(toShutdownPeriods({ ...none, totalMs: 5_000, criticalMs: 6_000 }), []);
  });

  it('sorts periods by priority and takes no notice of a total beside them', () => {
    const byPriority = [
      { priority: 100, seconds: 1 },
      { priority: -5, seconds: 2 },
      { priority: 7, seconds: 3 },
    ];
    const periods = toShutdownPeriods({ totalMs: 60_000, criticalMs: 0, byPriority });
    assert.deepEqual(
      periods.map(({ priority }) => priority),
      [-5, 7, 100],
    );
    assert.equal(sumPeriods(periods), 6);
  });
});
