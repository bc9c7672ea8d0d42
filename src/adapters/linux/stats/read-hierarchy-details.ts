/** The details of one cgroup of version 1, where each controller has a tree of its own. Reads at once. */
import type {
  CgroupLimits,
  CpuDetails,
  DeviceIo,
  MemoryDetails,
} from '../../../core/stats/cgroup-details.ts';
import { type DiskNames, hasDevice, parseBlkio } from './parse-details.ts';
import { findNumber, parseLimit, parseNumber } from './parse-stats.ts';
import { readControl } from './read-control.ts';
import type { ControllerDetails, ControllerLimits } from './read-unified-details.ts';

/** CPU times of this version are in hundredths of a second. */
const NS_PER_TICK = 1e7;
type Read = (file: string) => string | undefined;

/** `directoryOf` is undefined for a controller that is not mounted. */
export function readHierarchyDetails(
  directoryOf: (controller: string) => string | undefined,
  hasQuota: boolean,
  disks: DiskNames,
): ControllerDetails {
  const readerOf = toReaders(directoryOf);
  return {
    cpu: readCpu(readerOf('cpuacct'), hasQuota ? readerOf('cpu') : readNothing),
    memory: readMemory(readerOf('memory')),
    io: { devices: readDevices(readerOf('blkio'), disks), psi: undefined },
  };
}

/** Both files have the same disks: without one in the first the second has none. */
function readDevices(read: Read, disks: DiskNames): readonly DeviceIo[] {
  const readIo = (what: string): string =>
    read(`blkio.throttle.${what}_recursive`) ?? read(`blkio.throttle.${what}`) ?? '';
  const bytes = readIo('io_service_bytes');
  return hasDevice(bytes) ? parseBlkio(bytes, readIo('io_serviced'), disks) : [];
}

/** Only a cgroup with a quota has periods. */
function readNothing(): undefined {
  return undefined;
}

export function readHierarchyLimits(
  directoryOf: (controller: string) => string | undefined,
): ControllerLimits {
  const readerOf = toReaders(directoryOf);
  return { cpu: readCpuLimits(readerOf('cpu')), memory: readMemoryLimits(readerOf('memory')) };
}

function toReaders(directoryOf: (controller: string) => string | undefined): (controller: string) => Read {
  return (controller) => {
    const directory = directoryOf(controller);
    return (file) => (directory === undefined ? undefined : readControl(`${directory}/${file}`));
  };
}

function readCpu(accounting: Read, cpu: Read): CpuDetails | undefined {
  const usageNs = parseNumber(accounting('cpuacct.usage'));
  if (usageNs === undefined) return undefined;
  const times = accounting('cpuacct.stat') ?? '';
  const stat = cpu('cpu.stat') ?? '';
  return {
    usageNs,
    userNs: findNumber(times, 'user') * NS_PER_TICK,
    systemNs: findNumber(times, 'system') * NS_PER_TICK,
    periods: findNumber(stat, 'nr_periods'),
    throttledPeriods: findNumber(stat, 'nr_throttled'),
    throttledNs: findNumber(stat, 'throttled_time'),
    burstPeriods: findNumber(stat, 'nr_bursts'),
    burstNs: findNumber(stat, 'burst_time'),
    psi: undefined,
  };
}

function readMemory(read: Read): MemoryDetails | undefined {
  const stat = read('memory.stat');
  if (stat === undefined) return undefined;
  const total = (key: string): number => findNumber(stat, `total_${key}`);
  const numberIn = (file: string): number => parseNumber(read(`memory.${file}`)) ?? 0;
  return {
    usageBytes: numberIn('usage_in_bytes'),
    maxUsageBytes: numberIn('max_usage_in_bytes'),
    cacheBytes: total('cache'),
    rssBytes: total('rss'),
    kernelBytes: numberIn('kmem.usage_in_bytes'),
    mappedFileBytes: total('mapped_file'),
    swapBytes: total('swap'),
    activeFileBytes: total('active_file'),
    inactiveFileBytes: total('inactive_file'),
    limitHits: numberIn('failcnt'),
    oomKills: findNumber(read('memory.oom_control') ?? '', 'oom_kill'),
    ownFaults: { all: findNumber(stat, 'pgfault'), major: findNumber(stat, 'pgmajfault') },
    allFaults: { all: total('pgfault'), major: total('pgmajfault') },
    psi: undefined,
  };
}

function readCpuLimits(read: Read): CgroupLimits['cpu'] {
  const shares = parseNumber(read('cpu.shares'));
  if (shares === undefined) return undefined;
  return {
    periodUs: parseNumber(read('cpu.cfs_period_us')) ?? 0,
    // Without a quota the file has a negative number.
    quotaUs: parseNumber(read('cpu.cfs_quota_us')),
    shares,
  };
}

function readMemoryLimits(read: Read): CgroupLimits['memory'] {
  const limit = read('memory.limit_in_bytes');
  if (limit === undefined) return undefined;
  return {
    bytes: parseLimit(limit) ?? 0,
    swapBytes: parseLimit(read('memory.memsw.limit_in_bytes')) ?? 0,
    reservedBytes: parseLimit(read('memory.soft_limit_in_bytes')) ?? 0,
  };
}
