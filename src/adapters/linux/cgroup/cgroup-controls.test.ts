import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CgroupValues } from '../../../core/resources/cgroup-values.ts';
import { type CgroupControl, toControlsV1, toControlsV2 } from './cgroup-controls.ts';

const show = (controls: readonly CgroupControl[]): string[] =>
  controls.map(({ controller, file, text }) => `${controller} ${file} ${text}`);

const FULL: CgroupValues = {
  cpuShares: 1024,
  cpuQuotaUs: 33_300,
  cpuPeriodUs: 100_000,
  cpus: '0-3',
  memoryLimitBytes: 2 ** 30,
  memoryMinBytes: 4096,
  memoryLowBytes: 0,
  pidsLimit: 100,
  hugepageLimits: [{ pageSize: '2MB', limitBytes: 2 ** 62 }],
};

describe('toControlsV1', () => {
  it('names every value in the order it must be written; protection of memory does not exist there', () => {
    assert.deepEqual(show(toControlsV1(FULL)), [
      'cpu cpu.shares 1024',
      'cpu cpu.cfs_period_us 100000',
      'cpu cpu.cfs_quota_us 33300',
      'memory memory.limit_in_bytes 1073741824',
      'cpuset cpuset.cpus 0-3',
      'pids pids.max 100',
      'hugetlb hugetlb.2MB.limit_in_bytes 4611686018427387904',
      'hugetlb hugetlb.2MB.rsvd.limit_in_bytes 4611686018427387904',
    ]);
  });

  it('lifts a quota with -1 and says nothing about what is absent', () => {
    assert.deepEqual(show(toControlsV1({ cpuQuotaUs: -1, cpuPeriodUs: 100_000 })), [
      'cpu cpu.cfs_period_us 100000',
      'cpu cpu.cfs_quota_us -1',
    ]);
    assert.deepEqual(toControlsV1({}), []);
  });
});

describe('toControlsV2', () => {
  it('names every value; shares become a weight on the linear scale', () => {
    assert.deepEqual(show(toControlsV2(FULL)), [
      'cpu cpu.weight 39',
      'cpu cpu.max 33300 100000',
      'memory memory.min 4096',
      'memory memory.low 0',
      'memory memory.max 1073741824',
      'cpuset cpuset.cpus 0-3',
      'pids pids.max 100',
      'hugetlb hugetlb.2MB.max 4611686018427387904',
      'hugetlb hugetlb.2MB.rsvd.max 4611686018427387904',
    ]);
  });

  it('writes max for a lifted quota, and no cpu.max without quota and period', () => {
    const quota = (values: CgroupValues) => show(toControlsV2(values));
    assert.deepEqual(quota({ cpuQuotaUs: -1, cpuPeriodUs: 100_000 }), ['cpu cpu.max max 100000']);
    assert.deepEqual(quota({ cpuPeriodUs: 50_000 }), ['cpu cpu.max max 50000']);
    assert.deepEqual(quota({ cpuQuotaUs: 5_000 }), ['cpu cpu.max 5000']);
    assert.deepEqual(quota({}), []);
  });

  it('knows a weight for shares at both ends', () => {
    const weights = [2, 102, 512, 2048, 262_144].map((cpuShares) => toControlsV2({ cpuShares })[0]?.text);
    assert.deepEqual(weights, ['1', '4', '20', '79', '10000']);
  });
});
