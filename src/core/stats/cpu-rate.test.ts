import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { advanceCpu, type CpuHistory } from './cpu-rate.ts';

describe('advanceCpu', () => {
  const first = advanceCpu(undefined, { atMs: 1000, usageNs: 5e9 });

  for (const [name, now, expected] of [
    ['knows no rate after one sample', undefined, undefined],
    ['divides what was used by the time between', { atMs: 11_000, usageNs: 10e9 }, 500_000_000],
    ['rounds down', { atMs: 4000, usageNs: 5e9 + 1 }, 0],
    ['is 0 for what did nothing', { atMs: 3000, usageNs: 5e9 }, 0],
    ['begins again when the counter fell', { atMs: 3000, usageNs: 4e9 }, undefined],
    ['begins again after a long silence', { atMs: 121_001, usageNs: 6e9 }, undefined],
    ['begins again when the clock was set back', { atMs: 0, usageNs: 6e9 }, undefined],
  ] as const)
    it(name, () => {
      assert.equal((now === undefined ? first : advanceCpu(first, now)).rate, expected);
    });

  it('keeps the older sample while they are close together', () => {
    const soon = advanceCpu(first, { atMs: 1500, usageNs: 6e9 });
    assert.deepEqual(soon, first);
    assert.equal(advanceCpu(soon, { atMs: 2000, usageNs: 6e9 }).rate, 1e9);
  });

  it('never says less than nothing, nor more than what the counters allow', () => {
    const steps = fc.array(fc.tuple(fc.nat(20_000), fc.nat(1e9)), { maxLength: 30 });
    fc.assert(
      fc.property(steps, (all) => {
        let [atMs, usageNs] = [0, 0];
        let history: CpuHistory | undefined;
        for (const [ms, ns] of all) {
          [atMs, usageNs] = [atMs + ms, usageNs + ns];
          history = advanceCpu(history, { atMs, usageNs });
          if (history.rate === undefined) continue;
          assert.ok(history.rate >= 0 && history.rate <= usageNs * 1000);
        }
      }),
    );
  });

  it('gives a constant load its rate, however the samples lie', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 64_000 }), (all, milliCores) => {
        let atMs = 0;
        let history = advanceCpu(undefined, { atMs, usageNs: 0 });
        for (const gap of all) {
          atMs += gap;
          history = advanceCpu(history, { atMs, usageNs: atMs * milliCores * 1000 });
        }
        const { rate } = history;
        if (rate !== undefined) assert.ok(Math.abs(rate - milliCores * 1e6) <= 1);
        else assert.ok(atMs < 1000);
      }),
    );
  });
});
