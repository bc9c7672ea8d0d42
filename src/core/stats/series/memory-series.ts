/** Memory, its limits and faults. */
import type { CgroupLimits, MemoryDetails } from '../cgroup-details.ts';
import { computeWorkingSet } from '../to-usage.ts';
import { counter, gauge, type Series, setting, type ValueOf } from './series.ts';

const US = 1e6;

function ofMemory(value: (memory: MemoryDetails) => number | undefined): ValueOf {
  return ({ details: { memory } }) => memory && value(memory);
}

function ofLimits(value: (limits: NonNullable<CgroupLimits['memory']>) => number): ValueOf {
  return ({ details: { limits } }) => limits.memory && value(limits.memory);
}

function toFaultLabels(type: string, scope: string): string {
  return `failure_type="${type}",scope="${scope}"`;
}

const OWN_FAULTS = toFaultLabels('pgfault', 'container');
const ALL_FAULTS = toFaultLabels('pgfault', 'hierarchy');
const OWN_MAJOR_FAULTS = toFaultLabels('pgmajfault', 'container');
const ALL_MAJOR_FAULTS = toFaultLabels('pgmajfault', 'hierarchy');

const FAULTS: Series = {
  name: 'container_memory_failures_total',
  help: 'Cumulative count of memory allocation failures.',
  kind: 'counter',
  isTimed: true,
  put: ({ details: { memory } }, put) => {
    if (memory === undefined) return;
    put(memory.ownFaults.all, OWN_FAULTS);
    put(memory.allFaults.all, ALL_FAULTS);
    put(memory.ownFaults.major, OWN_MAJOR_FAULTS);
    put(memory.allFaults.major, ALL_MAJOR_FAULTS);
  },
};
export const MEMORY_SERIES: readonly Series[] = [
  gauge(
    'container_memory_cache',
    'Number of bytes of page cache memory.',
    ofMemory((memory) => memory.cacheBytes),
  ),
  counter(
    'container_memory_failcnt',
    'Number of memory usage hits limits',
    ofMemory((memory) => memory.limitHits),
  ),
  FAULTS,
  gauge(
    'container_memory_kernel_usage',
    'Size of kernel memory allocated in bytes.',
    ofMemory((memory) => memory.kernelBytes),
  ),
  gauge(
    'container_memory_mapped_file',
    'Size of memory mapped files in bytes.',
    ofMemory((memory) => memory.mappedFileBytes),
  ),
  gauge(
    'container_memory_max_usage_bytes',
    'Maximum memory usage recorded in bytes',
    ofMemory((memory) => memory.maxUsageBytes),
  ),
  gauge(
    'container_memory_rss',
    'Size of RSS in bytes.',
    ofMemory((memory) => memory.rssBytes),
  ),
  gauge(
    'container_memory_swap',
    'Container swap usage in bytes.',
    ofMemory((memory) => memory.swapBytes),
  ),
  gauge(
    'container_memory_total_active_file_bytes',
    'Current total active file in bytes.',
    ofMemory((memory) => memory.activeFileBytes),
  ),
  gauge(
    'container_memory_total_inactive_file_bytes',
    'Current total inactive file in bytes.',
    ofMemory((memory) => memory.inactiveFileBytes),
  ),
  gauge(
    'container_memory_usage_bytes',
    'Current memory usage in bytes, including all memory regardless of when it was accessed',
    ofMemory((memory) => memory.usageBytes),
  ),
  gauge('container_memory_working_set_bytes', 'Current working set in bytes.', ofMemory(computeWorkingSet)),
  counter(
    'container_oom_events_total',
    'Count of out of memory events observed for the container',
    ofMemory((memory) => memory.oomKills),
  ),
  counter(
    'container_pressure_memory_stalled_seconds_total',
    'Total time duration no tasks in the container could make progress due to memory congestion.',
    ofMemory(({ psi }) => psi && psi.full.total / US),
  ),
  counter(
    'container_pressure_memory_waiting_seconds_total',
    'Total time duration tasks in the container have waited due to memory congestion.',
    ofMemory(({ psi }) => psi && psi.some.total / US),
  ),
  setting(
    'container_spec_memory_limit_bytes',
    'Memory limit for the container.',
    ofLimits((limits) => limits.bytes),
  ),
  setting(
    'container_spec_memory_reservation_limit_bytes',
    'Memory reservation limit for the container.',
    ofLimits((limits) => limits.reservedBytes),
  ),
  setting(
    'container_spec_memory_swap_limit_bytes',
    'Memory swap limit for the container.',
    ofLimits((limits) => limits.swapBytes),
  ),
];
