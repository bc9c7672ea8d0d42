/**
 * The control files that carry cgroup values, for each version: which
 * controller, which file, what text. Pure; cgroups.ts writes them in order.
 */
import type { CgroupValues } from '../../../core/resources/cgroup-values.ts';
import { sharesToWeight } from '../../../core/resources/cpu-units.ts';

export interface CgroupControl {
  readonly controller: 'cpu' | 'cpuset' | 'memory' | 'pids' | 'hugetlb';
  readonly file: string;
  readonly text: string;
  /** Not every kernel has it, and without it nothing is lost. */
  readonly optional?: boolean;
}

/** Version 1. */
export function toControlsV1(values: CgroupValues): CgroupControl[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryLimitBytes } = values;
  const controls: CgroupControl[] = [];
  if (cpuShares !== undefined) controls.push(cpu('cpu.shares', cpuShares));
  // The period first: the quota is checked against it.
  if (cpuPeriodUs) controls.push(cpu('cpu.cfs_period_us', cpuPeriodUs));
  if (cpuQuotaUs) controls.push(cpu('cpu.cfs_quota_us', cpuQuotaUs));
  if (memoryLimitBytes !== undefined) controls.push(memory('memory.limit_in_bytes', memoryLimitBytes));
  controls.push(...toSharedControls(values));
  for (const { pageSize, limitBytes } of values.hugepageLimits ?? [])
    controls.push(...hugetlb(pageSize, 'limit_in_bytes', limitBytes));
  return controls;
}

/** Version 2. */
export function toControlsV2(values: CgroupValues): CgroupControl[] {
  const { cpuShares, cpuQuotaUs = 0, cpuPeriodUs = 0 } = values;
  const controls: CgroupControl[] = [];
  if (cpuShares !== undefined) controls.push(cpu('cpu.weight', sharesToWeight(cpuShares)));
  if (cpuQuotaUs !== 0 || cpuPeriodUs !== 0) {
    const period = cpuPeriodUs === 0 ? '' : ` ${cpuPeriodUs}`;
    controls.push({
      controller: 'cpu',
      file: 'cpu.max',
      text: `${cpuQuotaUs > 0 ? cpuQuotaUs : 'max'}${period}`,
    });
  }
  const { memoryLimitBytes, memoryMinBytes, memoryLowBytes } = values;
  if (memoryMinBytes !== undefined) controls.push(memory('memory.min', memoryMinBytes));
  if (memoryLowBytes !== undefined) controls.push(memory('memory.low', memoryLowBytes));
  if (memoryLimitBytes !== undefined) controls.push(memory('memory.max', memoryLimitBytes));
  controls.push(...toSharedControls(values));
  for (const { pageSize, limitBytes } of values.hugepageLimits ?? [])
    controls.push(...hugetlb(pageSize, 'max', limitBytes));
  return controls;
}

/** Those that are called the same in both versions. */
function toSharedControls({ cpus, pidsLimit }: CgroupValues): CgroupControl[] {
  const controls: CgroupControl[] = [];
  if (cpus !== undefined)
    controls.push({ controller: 'cpuset', file: 'cpuset.cpus', text: cpus, optional: true });
  if (pidsLimit !== undefined)
    controls.push({ controller: 'pids', file: 'pids.max', text: pidsLimit < 0 ? 'max' : String(pidsLimit) });
  return controls;
}

function cpu(file: string, value: number): CgroupControl {
  return { controller: 'cpu', file, text: String(value) };
}

function memory(file: string, bytes: number): CgroupControl {
  return { controller: 'memory', file, text: wholeText(bytes) };
}

/** What is used and what is set aside for later use. */
function hugetlb(pageSize: string, suffix: string, bytes: number): CgroupControl[] {
  return ['', 'rsvd.'].map((kind) => ({
    controller: 'hugetlb',
    file: `hugetlb.${pageSize}.${kind}${suffix}`,
    text: wholeText(bytes),
    optional: true,
  }));
}

/** Every digit, also where JavaScript would round. */
function wholeText(value: number): string {
  return BigInt(value).toString();
}
