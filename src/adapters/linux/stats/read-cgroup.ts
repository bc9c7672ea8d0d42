/** One cgroup's numbers, by the version of the hierarchy it is in. Reads at once. */
import type { CpuSample, MemorySample } from '../../../core/stats/samples.ts';
import type { PsiStats } from '../../../core/stats/summary.ts';
import { findNumber, parseLimit, parseNumber, parsePressure } from './parse-stats.ts';
import { readControl } from './read-control.ts';

export interface CgroupNumbers {
  readonly cpu?: CpuSample;
  readonly memory?: MemorySample;
  readonly ioPsi?: PsiStats;
}

const NS_PER_US = 1000;

/** Version 2. Pressure is read where the kernel counts it. */
export function readUnifiedNumbers(directory: string, withPressure: boolean): CgroupNumbers {
  const read = (file: string): string | undefined => readControl(`${directory}/${file}`);
  const pressureOf = (subject: string): PsiStats | undefined =>
    withPressure ? parsePressure(read(`${subject}.pressure`)) : undefined;
  const cpuStat = read('cpu.stat');
  const memoryStat = read('memory.stat');
  const ioPsi = pressureOf('io');
  return {
    ...(cpuStat !== undefined && { cpu: toUnifiedCpu(cpuStat, pressureOf('cpu')) }),
    ...(memoryStat !== undefined && { memory: toUnifiedMemory(memoryStat, read, pressureOf('memory')) }),
    ...(ioPsi && { ioPsi }),
  };
}

function toUnifiedCpu(stat: string, psi: PsiStats | undefined): CpuSample {
  return { usageNs: findNumber(stat, 'usage_usec') * NS_PER_US, ...(psi && { psi }) };
}

function toUnifiedMemory(
  stat: string,
  read: (file: string) => string | undefined,
  psi: PsiStats | undefined,
): MemorySample {
  const rssBytes = findNumber(stat, 'anon');
  return {
    // The root has no counter of its own.
    usageBytes: parseNumber(read('memory.current')) ?? rssBytes + findNumber(stat, 'file'),
    inactiveFileBytes: findNumber(stat, 'inactive_file'),
    activeFileBytes: findNumber(stat, 'active_file'),
    rssBytes,
    pageFaults: findNumber(stat, 'pgfault'),
    majorPageFaults: findNumber(stat, 'pgmajfault'),
    ...known('limitBytes', parseLimit(read('memory.max'))),
    ...known('swapBytes', parseNumber(read('memory.swap.current'))),
    ...known('swapLimitBytes', parseLimit(read('memory.swap.max'))),
    ...(psi && { psi }),
  };
}

/** Version 1, where CPU time and memory have trees of their own. */
export function readHierarchyNumbers(cpuacct: string | undefined, memory: string | undefined): CgroupNumbers {
  const usageNs = cpuacct === undefined ? undefined : parseNumber(readControl(`${cpuacct}/cpuacct.usage`));
  const stat = memory === undefined ? undefined : readControl(`${memory}/memory.stat`);
  return {
    ...(usageNs !== undefined && { cpu: { usageNs } }),
    ...(memory !== undefined && stat !== undefined && { memory: toHierarchyMemory(memory, stat) }),
  };
}

function toHierarchyMemory(directory: string, stat: string): MemorySample {
  const read = (file: string): string | undefined => readControl(`${directory}/${file}`);
  const limit = parseLimit(read('memory.limit_in_bytes'));
  const withSwap = parseLimit(read('memory.memsw.limit_in_bytes'));
  return {
    usageBytes: parseNumber(read('memory.usage_in_bytes')) ?? 0,
    inactiveFileBytes: findNumber(stat, 'total_inactive_file'),
    activeFileBytes: findNumber(stat, 'total_active_file'),
    rssBytes: findNumber(stat, 'total_rss'),
    pageFaults: findNumber(stat, 'total_pgfault'),
    majorPageFaults: findNumber(stat, 'total_pgmajfault'),
    ...known('limitBytes', limit),
    ...(stat.includes('\ntotal_swap ') && { swapBytes: findNumber(stat, 'total_swap') }),
    // This version limits memory and swap together.
    ...(limit !== undefined && withSwap !== undefined && { swapLimitBytes: Math.max(0, withSwap - limit) }),
  };
}

function known<K extends string>(key: K, value: number | undefined): { readonly [P in K]?: number } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: number });
}
