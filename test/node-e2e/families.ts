// The families of upstream's node tests that `make node-e2e` runs unless FOCUS says otherwise, and a table of how each
// fared. Pure: node-e2e.ts runs the suite and does the files.
import type { TestResult } from '../cluster/conformance-report.ts';

/** As the names of the tests have them. */
export const FAMILIES: readonly string[] = [
  'ContainerLogRotation',
  'ContainerMetrics',
  'Containers Lifecycle',
  'CPU Manager',
  'CriticalPod',
  'Device Manager',
  'Device Plugin',
  'DRA',
  'GarbageCollect',
  'ImageGarbageCollect',
  'ImageGCNoEviction',
  'ImageGCTerminatedPodsContainersCleanup',
  'InodeEviction',
  'LocalStorageCapacityIsolationEviction',
  'LocalStorageEviction',
  'LocalStorageSoftEviction',
  'Memory Manager',
  'MemoryAllocatableEviction',
  'MirrorPod',
  'OOMKiller',
  'POD Resources API',
  'PodPidsLimit',
  'Pods API',
  'PriorityLocalStorageEvictionOrdering',
  'PriorityMemoryEvictionOrdering',
  'PriorityPidEvictionOrdering',
  'ResourceMetricsAPI',
  'Summary API',
  'SystemNodeCriticalPod',
  'Topology Manager',
];

/** Those that want systemd as process 1 or cgroup v2: what `make vm-node-e2e` runs in a machine that has both. */
export const MACHINE_FAMILIES: readonly string[] = [
  'Container Manager Misc',
  'GracefulNodeShutdown',
  'HugePages',
  'Kubelet Cgroup Manager',
  'MemoryQoS',
  'Node Container Manager',
  'Pod InPlace Resize',
  'Swap',
];

/** A family begins a word: "ImageGarbageCollect" is none of "GarbageCollect". */
export function toFocus(families: readonly string[]): string {
  return families.map((family) => String.raw`\b${family}`).join('|');
}

/** The family of a test; "others" for those that a focus of the caller's selected. */
export function familyOf(
  name: string,
  families: readonly string[] = [...FAMILIES, ...MACHINE_FAMILIES],
): string {
  return families.find((family) => new RegExp(toFocus([family])).test(name)) ?? 'others';
}

/** A Markdown table: a row per family with what passed, failed and skipped itself, and the seconds it took. */
export function renderFamilies(results: readonly TestResult[]): string {
  const groups = Map.groupBy(results, (test) => familyOf(test.name));
  const rows = [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([family, tests]) => {
      const count = (outcome: TestResult['outcome']) =>
        tests.filter((test) => test.outcome === outcome).length;
      const seconds = tests.reduce((sum, test) => sum + test.seconds, 0);
      return `| ${family} | ${count('passed')} | ${count('failed')} | ${count('skipped')} | ${Math.round(seconds)} s |`;
    });
  return [
    '| Family | Passed | Failed | Skipped itself | Duration |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
