import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CgroupValues } from '../../core/resources/cgroup-values.ts';
import { roundQuota, toCpuMask, toUnitProperties } from './systemd-properties.ts';

const facts = { cgroupVersion: 2, systemdVersion: 252 } as const;
const shown = (values: CgroupValues, known: Parameters<typeof toUnitProperties>[1] = facts): string[] =>
  toUnitProperties(values, known).map(([name, [type, value]]) => `${name} ${type} ${value}`);

const ALL: CgroupValues = {
  cpuShares: 1024,
  cpuQuotaUs: 25_500,
  cpuPeriodUs: 100_000,
  cpus: '0-2,9',
  memoryLimitBytes: 2 ** 30,
  memoryMinBytes: 1,
  memoryLowBytes: 2,
  pidsLimit: 100,
  hugepageLimits: [{ pageSize: '2MB', limitBytes: 0 }],
};

describe('toUnitProperties', () => {
  it('names every value that systemd knows on version 2', () => {
    assert.deepEqual(shown(ALL), [
      'MemoryMax t 1073741824',
      'MemoryMin t 1',
      'MemoryLow t 2',
      'CPUWeight t 39',
      'CPUQuotaPeriodUSec t 100000',
      'CPUQuotaPerSecUSec t 260000',
      'TasksMax t 100',
      'AllowedCPUs ay 7,2',
    ]);
  });

  it('uses the old names on version 1, and leaves out what an old systemd does not know', () => {
    assert.deepEqual(shown(ALL, { cgroupVersion: 1, systemdVersion: 241 }), [
      'MemoryLimit t 1073741824',
      'CPUShares t 1024',
      'CPUQuotaPerSecUSec t 260000',
      'TasksMax t 100',
    ]);
  });

  it('lifts limits by infinity and never says that there may be no task', () => {
    assert.deepEqual(shown({ cpuQuotaUs: -1, cpuPeriodUs: 100_000, pidsLimit: -1 }), [
      'CPUQuotaPeriodUSec t 100000',
      'CPUQuotaPerSecUSec t 18446744073709551615',
      'TasksMax t 18446744073709551615',
    ]);
    assert.deepEqual(shown({ pidsLimit: 0 }), ['TasksMax t 1']);
    assert.deepEqual(shown({}), []);
  });
});

describe('roundQuota', () => {
  const rounds: [quotaUs: number, periodUs: number, expected: number][] = [
    [25_000, 100_000, 25_000],
    [25_500, 100_000, 26_000],
    [1_000, 100_000, 1_000],
    [1_001, 100_000, 2_000],
    [2_505, 10_000, 2_600],
    [-1, 100_000, -1],
    [0, 100_000, 0],
  ];
  for (const [quotaUs, periodUs, expected] of rounds)
    it(`makes ${expected} of ${quotaUs} in ${periodUs} microseconds`, () =>
      assert.equal(roundQuota({ cpuQuotaUs: quotaUs, cpuPeriodUs: periodUs }).cpuQuotaUs, expected));
});

describe('toCpuMask', () => {
  it('has the first CPU in the lowest bit', () => {
    assert.deepEqual(toCpuMask('0'), [1]);
    assert.deepEqual(toCpuMask('0-7,15-16'), [255, 128, 1]);
  });
});
