/**
 * What the runtime is sent about a sandbox when the cgroup of its pod changes:
 * the values of that cgroup without the pod's overhead, which is sent separately.
 */
import type { Pod } from '../api/pod.ts';
import type { LinuxResources } from '../model/observed-pod.ts';
import { milliToQuota, milliToShares } from './cpu-units.ts';
import type { CgroupReading } from './plan-resize.ts';
import { cpuMilli, resourceBytes } from './pod-resources.ts';

export function toSandboxUpdate(
  { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryLimitBytes }: CgroupReading,
  { spec: { overhead } }: Pick<Pod, 'spec'>,
): LinuxResources {
  const milli = cpuMilli(overhead);
  const bytes = resourceBytes(overhead, 'memory');
  const without = (value: number, part: number, least: number): number =>
    value > 0 ? Math.max(least, value - part) : value;
  const sharesOfOverhead = milli === 0 ? 0 : milliToShares(milli);
  return {
    ...(cpuShares !== undefined && { cpuShares: without(cpuShares, sharesOfOverhead, 2) }),
    ...(cpuPeriodUs !== undefined && { cpuPeriod: cpuPeriodUs }),
    ...(cpuQuotaUs !== undefined && {
      cpuQuota: without(cpuQuotaUs, milliToQuota(milli, cpuPeriodUs ?? 100_000), 1000),
    }),
    ...(memoryLimitBytes !== undefined && { memoryLimitBytes: without(memoryLimitBytes, bytes, 0) }),
  };
}
