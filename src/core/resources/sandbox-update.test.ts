import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { toSandboxUpdate } from './sandbox-update.ts';

const reading = { cpuShares: 1024, cpuQuotaUs: 100_000, cpuPeriodUs: 100_000, memoryLimitBytes: 1000 };

describe('toSandboxUpdate', () => {
  it('is what the cgroup has where the pod has no overhead', () => {
    assert.deepEqual(toSandboxUpdate(reading, samplePod()), {
      cpuShares: 1024,
      cpuPeriod: 100_000,
      cpuQuota: 100_000,
      memoryLimitBytes: 1000,
    });
  });

  it('is without the overhead of the pod', () => {
    const pod = samplePod({ overhead: { cpu: '250m', memory: '400' } });
    assert.deepEqual(toSandboxUpdate(reading, pod), {
      cpuShares: 768,
      cpuPeriod: 100_000,
      cpuQuota: 75_000,
      memoryLimitBytes: 600,
    });
    assert.deepEqual(toSandboxUpdate({ cpuShares: 2 }, pod), { cpuShares: 2 });
  });
});
