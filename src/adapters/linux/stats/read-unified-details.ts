/** The details of one cgroup of version 2. Reads at once. */
import type {
  CgroupLimits,
  CpuDetails,
  IoDetails,
  MemoryDetails,
} from '../../../core/stats/cgroup-details.ts';
import type { PsiStats } from '../../../core/stats/summary.ts';
import { type DiskNames, parseIoStat } from './parse-details.ts';
import { findNumber, parseLimit, parseNumber, parsePressure } from './parse-stats.ts';
import { readControl } from './read-control.ts';

export interface ControllerDetails {
  readonly cpu: CpuDetails | undefined;
  readonly memory: MemoryDetails | undefined;
  readonly io: IoDetails;
}

/** What the controllers let a cgroup use. */
export type ControllerLimits = Omit<CgroupLimits, 'tasks'>;

const NS_PER_US = 1000;
type Read = (file: string) => string | undefined;

/** `hasPressure`: the kernel counts it. */
export function readUnifiedDetails(
  directory: string,
  hasPressure: boolean,
  disks: DiskNames,
): ControllerDetails {
  const read: Read = (file) => readControl(`${directory}/${file}`);
  const pressureOf = (subject: string): PsiStats | undefined =>
    hasPressure ? parsePressure(read(`${subject}.pressure`)) : undefined;
  const cpuStat = read('cpu.stat');
  const memoryStat = read('memory.stat');
  return {
    cpu: cpuStat === undefined ? undefined : toCpu(cpuStat, pressureOf('cpu')),
    memory: memoryStat === undefined ? undefined : toMemory(memoryStat, read, pressureOf('memory')),
    io: { devices: parseIoStat(read('io.stat') ?? '', disks), psi: pressureOf('io') },
  };
}

export function readUnifiedLimits(directory: string): ControllerLimits {
  const read: Read = (file) => readControl(`${directory}/${file}`);
  return { cpu: readCpuLimits(read), memory: readMemoryLimits(read) };
}

function toCpu(stat: string, psi: PsiStats | undefined): CpuDetails {
  return {
    usageNs: findNumber(stat, 'usage_usec') * NS_PER_US,
    userNs: findNumber(stat, 'user_usec') * NS_PER_US,
    systemNs: findNumber(stat, 'system_usec') * NS_PER_US,
    periods: findNumber(stat, 'nr_periods'),
    throttledPeriods: findNumber(stat, 'nr_throttled'),
    throttledNs: findNumber(stat, 'throttled_usec') * NS_PER_US,
    burstPeriods: findNumber(stat, 'nr_bursts'),
    burstNs: findNumber(stat, 'burst_usec') * NS_PER_US,
    psi,
  };
}

function toMemory(stat: string, read: Read, psi: PsiStats | undefined): MemoryDetails {
  const [rssBytes, cacheBytes] = [findNumber(stat, 'anon'), findNumber(stat, 'file')];
  // Counted with those of the cgroups below.
  const faults = { all: findNumber(stat, 'pgfault'), major: findNumber(stat, 'pgmajfault') };
  const events = read('memory.events') ?? '';
  return {
    // The root has no counter of its own.
    usageBytes: parseNumber(read('memory.current')) ?? rssBytes + cacheBytes,
    maxUsageBytes: parseNumber(read('memory.peak')) ?? 0,
    cacheBytes,
    rssBytes,
    kernelBytes: findNumber(stat, 'kernel'),
    mappedFileBytes: findNumber(stat, 'file_mapped'),
    swapBytes: parseNumber(read('memory.swap.current')) ?? 0,
    activeFileBytes: findNumber(stat, 'active_file'),
    inactiveFileBytes: findNumber(stat, 'inactive_file'),
    limitHits: findNumber(events, 'max'),
    oomKills: findNumber(events, 'oom_kill'),
    ownFaults: faults,
    allFaults: faults,
    psi,
  };
}

function readCpuLimits(read: Read): CgroupLimits['cpu'] {
  const weight = parseNumber(read('cpu.weight'));
  const [quota, period] = (read('cpu.max') ?? '').trim().split(' ');
  return {
    periodUs: parseNumber(period) ?? 0,
    quotaUs: parseNumber(quota),
    shares: weight === undefined ? 0 : toShares(weight),
  };
}

/** As version 1 would have it: 1 to 10000 becomes 2 to 262144. */
export function toShares(weight: number): number {
  return Math.floor(2 + ((weight - 1) * 262142) / 9999);
}

function readMemoryLimits(read: Read): CgroupLimits['memory'] {
  const max = read('memory.max');
  if (max === undefined) return undefined;
  return {
    bytes: parseLimit(max) ?? 0,
    swapBytes: parseLimit(read('memory.swap.max')) ?? 0,
    reservedBytes: parseLimit(read('memory.min')) ?? 0,
  };
}
