/** CPU, memory, swap and pressure of one cgroup as the summary shows them. */
import type { CgroupSample, MemorySample, RuntimeContainerSample } from './samples.ts';
import { toStatsTime } from './stats-time.ts';
import {
  ACTIVE_FILE_BYTES,
  type CpuStats,
  type IoStats,
  type MemoryStats,
  type SwapStats,
} from './summary.ts';

/** What of a node, a pod or a container comes from its cgroup. */
export interface Usage {
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly io?: IoStats;
  readonly swap?: SwapStats;
}

/** What is in use and not easily taken back. */
export function computeWorkingSet({
  usageBytes,
  inactiveFileBytes,
}: Pick<MemorySample, 'usageBytes' | 'inactiveFileBytes'>): number {
  return Math.max(0, usageBytes - inactiveFileBytes);
}

/** `rate` in nano-cores. */
export function toUsage({ atMs, cpu, memory, ioPsi }: CgroupSample, rate: number | undefined): Usage {
  const time = toStatsTime(atMs);
  return {
    ...(cpu && {
      cpu: {
        time,
        ...(rate === undefined ? {} : { usageNanoCores: rate }),
        usageCoreNanoSeconds: cpu.usageNs,
        ...(cpu.psi && { psi: cpu.psi }),
      },
    }),
    ...(memory && { memory: toMemory(memory, time) }),
    ...(ioPsi && { io: { time, psi: ioPsi } }),
    ...(memory?.swapBytes !== undefined && { swap: toSwap(memory, memory.swapBytes, time) }),
  };
}

function toMemory(memory: MemorySample, time: string): MemoryStats {
  const workingSetBytes = computeWorkingSet(memory);
  const { limitBytes, psi } = memory;
  return {
    time,
    // Not below zero, which no reader of this API can take.
    ...(limitBytes === undefined ? {} : { availableBytes: Math.max(0, limitBytes - workingSetBytes) }),
    usageBytes: memory.usageBytes,
    workingSetBytes,
    rssBytes: memory.rssBytes,
    pageFaults: memory.pageFaults,
    majorPageFaults: memory.majorPageFaults,
    ...(psi && { psi }),
    ...(memory.activeFileBytes !== undefined && { [ACTIVE_FILE_BYTES]: memory.activeFileBytes }),
  };
}

function toSwap({ swapLimitBytes }: MemorySample, swapUsageBytes: number, time: string): SwapStats {
  const available = swapLimitBytes === undefined ? undefined : Math.max(0, swapLimitBytes - swapUsageBytes);
  return { time, ...(available === undefined ? {} : { swapAvailableBytes: available }), swapUsageBytes };
}

/** For a container whose cgroup is not found: what the runtime counts, and 0 where it counts nothing. */
export function toRuntimeUsage(sample: RuntimeContainerSample | undefined, nowMs: number): Usage {
  const time = toStatsTime(sample?.atMs || nowMs);
  return {
    cpu: {
      time,
      usageNanoCores: sample?.usageNanoCores ?? 0,
      usageCoreNanoSeconds: sample?.usageNs ?? 0,
    },
    memory: { time, workingSetBytes: sample?.workingSetBytes ?? 0 },
  };
}

/** For a pod whose cgroup is not found. Pressure cannot be added up. */
export function sumUsages(usages: readonly Usage[]): Usage {
  const cpus = usages.flatMap(({ cpu }) => cpu ?? []);
  const memories = usages.flatMap(({ memory }) => memory ?? []);
  const swaps = usages.flatMap(({ swap }) => swap ?? []);
  const [cpu, memory, swap] = [cpus[0], memories[0], swaps[0]];
  return {
    ...(cpu && {
      cpu: { time: cpu.time, ...sumFields(cpus, ['usageNanoCores', 'usageCoreNanoSeconds']) },
    }),
    ...(memory && { memory: { time: memory.time, ...sumFields(memories, MEMORY_FIELDS) } }),
    ...(swap && {
      swap: { time: swap.time, ...sumFields(swaps, ['swapAvailableBytes', 'swapUsageBytes']) },
    }),
  };
}

const MEMORY_FIELDS = [
  'availableBytes',
  'usageBytes',
  'workingSetBytes',
  'rssBytes',
  'pageFaults',
  'majorPageFaults',
] as const;

/** A field that no part knows stays absent. */
function sumFields<K extends string>(
  parts: readonly { readonly [P in K]?: number }[],
  fields: readonly K[],
): { [P in K]?: number } {
  const sums: { [P in K]?: number } = {};
  for (const field of fields) {
    const known = parts.flatMap((part) => part[field] ?? []);
    if (known.length > 0) sums[field] = known.reduce((sum, value) => sum + value, 0);
  }
  return sums;
}
