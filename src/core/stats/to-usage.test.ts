import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { MemorySample } from './samples.ts';
import { computeWorkingSet, sumUsages, toRuntimeUsage, toUsage } from './to-usage.ts';

const AT = Date.parse('2026-01-02T03:04:05.678Z');
const time = '2026-01-02T03:04:05Z';
const memory: MemorySample = {
  usageBytes: 1000,
  inactiveFileBytes: 300,
  rssBytes: 400,
  pageFaults: 7,
  majorPageFaults: 1,
};

describe('toUsage', () => {
  it('shows what is known, with whole seconds', () => {
    assert.deepEqual(toUsage({ atMs: AT, cpu: { usageNs: 5 }, memory }, undefined), {
      cpu: { time, usageCoreNanoSeconds: 5 },
      memory: {
        time,
        usageBytes: 1000,
        workingSetBytes: 700,
        rssBytes: 400,
        pageFaults: 7,
        majorPageFaults: 1,
      },
    });
    assert.deepEqual(toUsage({ atMs: AT }, 5), {});
  });

  it('shows what is left of limits, and the rate', () => {
    const limited = { ...memory, limitBytes: 2000, swapBytes: 10, swapLimitBytes: 50 };
    const usage = toUsage({ atMs: AT, cpu: { usageNs: 5 }, memory: limited }, 42);
    assert.equal(usage.memory?.availableBytes, 1300);
    assert.deepEqual(usage.swap, { time, swapAvailableBytes: 40, swapUsageBytes: 10 });
    assert.equal(usage.cpu?.usageNanoCores, 42);
  });

  it('leaves nothing, not less, of a limit that is passed', () => {
    const passed = { ...memory, limitBytes: 600, swapBytes: 10, swapLimitBytes: 5 };
    const usage = toUsage({ atMs: AT, memory: passed }, undefined);
    assert.deepEqual([usage.memory?.availableBytes, usage.swap?.swapAvailableBytes], [0, 0]);
  });

  it('passes pressure on', () => {
    const psi = {
      full: { total: 1, avg10: 2, avg60: 3, avg300: 4 },
      some: { total: 5, avg10: 6, avg60: 7, avg300: 8 },
    };
    const usage = toUsage({ atMs: AT, cpu: { usageNs: 5, psi }, memory: { ...memory, psi }, ioPsi: psi }, 1);
    assert.deepEqual([usage.cpu?.psi, usage.memory?.psi, usage.io], [psi, psi, { time, psi }]);
  });
});

describe('computeWorkingSet', () => {
  it('is within the usage', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (usageBytes, inactiveFileBytes) => {
        const set = computeWorkingSet({ usageBytes, inactiveFileBytes });
        assert.ok(set >= 0 && set <= usageBytes);
      }),
    );
  });
});

describe('toRuntimeUsage', () => {
  it('shows 0 and the present time for what the runtime does not count', () => {
    const nothing = {
      cpu: { time, usageNanoCores: 0, usageCoreNanoSeconds: 0 },
      memory: { time, workingSetBytes: 0 },
    };
    assert.deepEqual(toRuntimeUsage(undefined, AT), nothing);
    assert.deepEqual(toRuntimeUsage({ atMs: 0 }, AT), nothing);
    assert.equal(toRuntimeUsage({ atMs: 0, usageNs: 9 }, AT).cpu?.usageCoreNanoSeconds, 9);
  });
});

describe('sumUsages', () => {
  it('adds up what is known and leaves out what no part knows', () => {
    const one = toUsage({ atMs: AT, cpu: { usageNs: 5 }, memory }, 3);
    const other = toUsage({ atMs: AT, cpu: { usageNs: 6 }, memory }, undefined);
    const sum = sumUsages([one, other]);
    assert.deepEqual(sum.cpu, { time, usageNanoCores: 3, usageCoreNanoSeconds: 11 });
    assert.equal(sum.memory?.workingSetBytes, 1400);
    assert.equal(sum.memory?.availableBytes, undefined);
    assert.deepEqual(sumUsages([]), {});
  });
});
