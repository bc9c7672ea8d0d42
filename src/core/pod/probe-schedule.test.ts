import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  computeEagerRun,
  computeFirstTick,
  computeNextTick,
  computeTickFrom,
  toProbeTiming,
} from './probe-schedule.ts';

const times = fc.integer({ min: 0, max: 1_000_000 });
const periods = fc.integer({ min: 1, max: 60_000 });

describe('toProbeTiming', () => {
  it('fills in the defaults of the API', () => {
    assert.deepEqual(toProbeTiming({}), {
      initialDelayMs: 0,
      periodMs: 10_000,
      timeoutMs: 1_000,
      successThreshold: 1,
      failureThreshold: 3,
    });
  });

  it('takes what the probe says', () => {
    const probe = {
      initialDelaySeconds: 5,
      periodSeconds: 2,
      timeoutSeconds: 4,
      successThreshold: 6,
      failureThreshold: 7,
    };
    assert.deepEqual(toProbeTiming(probe), {
      initialDelayMs: 5_000,
      periodMs: 2_000,
      timeoutMs: 4_000,
      successThreshold: 6,
      failureThreshold: 7,
    });
  });
});

describe('computeFirstTick', () => {
  it('is spread over one period', () => {
    assert.equal(computeFirstTick(500, 10_000, 0.25), 3_000);
    assert.equal(computeFirstTick(500, 10_000, 0), 500);
  });
});

describe('computeTickFrom', () => {
  it('is the first tick of the series that is not too early', () => {
    fc.assert(
      fc.property(times, periods, times, (tickMs, periodMs, earliestMs) => {
        const tick = computeTickFrom(tickMs, periodMs, earliestMs);
        assert.ok(tick >= earliestMs && tick <= earliestMs + periodMs);
        assert.equal(Math.abs(tick - tickMs) % periodMs, 0);
      }),
    );
  });
});

describe('computeNextTick', () => {
  it('is one period later for a run shorter than the period', () => {
    assert.equal(computeNextTick(1_000, 500, 1_499), 1_500);
  });

  it('is one period from now when the clock was set back', () => {
    assert.equal(computeNextTick(90_000, 500, 1_000), 1_500);
  });

  it('makes up for the latest missed tick only', () => {
    assert.equal(computeNextTick(1_000, 500, 2_700), 2_500);
  });

  it('moves forward and lags less than one period', () => {
    fc.assert(
      fc.property(times, periods, times, (lastMs, periodMs, tookMs) => {
        const next = computeNextTick(lastMs, periodMs, lastMs + tookMs);
        assert.ok(next > lastMs && next > lastMs + tookMs - periodMs);
      }),
    );
  });
});

describe('computeEagerRun', () => {
  it('waits a quarter of a second at first and doubles the time since the start', () => {
    const runs = [0];
    while (runs.length < 7) runs.push(computeEagerRun(0, runs.at(-1)!));
    assert.deepEqual(runs, [0, 250, 500, 1_000, 2_000, 4_000, 8_000]);
  });
});
