/**
 * What the benchmark measures: the name, unit and bar of every number, in the
 * order of the table. The bar is how much of upstream's number ours may be at
 * most. A scenario returns its numbers under these ids. Pure.
 */

export type Unit = 'ms' | 's' | 'millicores' | 'MiB' | 'calls' | 'writes' | 'times' | 'MiB/h' | 'KiB';

/** Metrics of one group are drawn in one plot. */
export type Group = 'start' | 'cpu' | 'rest' | 'end' | 'reaction' | 'count' | 'load';

export interface Metric {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  readonly group: Group;
  readonly bar: number | undefined;
}

/** The numbers of one turn of a kubelet, by metric; several samples of one number where there are. */
export type Samples = Readonly<Record<string, readonly number[]>>;

/** Whose number it is: a kubelet, or the runtime driven without one. */
export type Subject = 'ours' | 'upstream' | 'floor';

interface PerCount {
  readonly key: string;
  readonly title: (pods: number) => string;
  readonly unit: Unit;
  readonly group: Group;
  /** By number of pods. */
  readonly bars?: Readonly<Record<number, number>>;
}

const PER_COUNT: readonly PerCount[] = [
  {
    key: 'ready-p50',
    title: (pods) => `${pods} pods at once → Ready, p50`,
    unit: 's',
    group: 'start',
    bars: { 30: 0.45, 100: 0.38, 250: 0.38 },
  },
  {
    key: 'ready-all',
    title: (pods) => `${pods} pods at once → all Ready`,
    unit: 's',
    group: 'start',
    bars: { 30: 0.75, 100: 0.65, 250: 0.65 },
  },
  {
    key: 'start-cpu',
    title: (pods) => `kubelet's CPU to start ${pods} pods`,
    unit: 's',
    group: 'cpu',
    bars: { 30: 0.7, 100: 0.6, 250: 0.6 },
  },
  {
    key: 'rest-cpu',
    title: (pods) => `CPU at rest with ${pods} pods`,
    unit: 'millicores',
    group: 'rest',
    bars: { 0: 0.2, 30: 0.1, 100: 0.05, 250: 0.05 },
  },
  {
    key: 'memory',
    title: (pods) => `resident memory with ${pods} pods`,
    unit: 'MiB',
    group: 'rest',
    bars: { 0: 0.8, 30: 0.8, 100: 0.75, 250: 0.6 },
  },
  {
    key: 'gone-all',
    title: (pods) => `delete of ${pods} pods → all gone`,
    unit: 's',
    group: 'end',
    bars: { 30: 0.7, 100: 0.65 },
  },
  {
    key: 'stop-cpu',
    title: (pods) => `kubelet's CPU to stop ${pods} pods`,
    unit: 's',
    group: 'cpu',
    bars: { 100: 0.6 },
  },
  {
    key: 'start-calls',
    title: (pods) => `runtime calls to start a pod, of ${pods}`,
    unit: 'calls',
    group: 'count',
  },
  {
    key: 'stop-calls',
    title: (pods) => `runtime calls to stop a pod, of ${pods}`,
    unit: 'calls',
    group: 'count',
  },
  {
    key: 'start-writes',
    title: (pods) => `writes to the API server to start a pod, of ${pods}`,
    unit: 'writes',
    group: 'count',
  },
  {
    key: 'stop-writes',
    title: (pods) => `writes to the API server to stop a pod, of ${pods}`,
    unit: 'writes',
    group: 'count',
  },
];

const metric = (id: string, title: string, unit: Unit, group: Group, bar?: number): Metric => ({
  id,
  title,
  unit,
  group,
  bar,
});

const BEFORE: readonly Metric[] = [
  metric('boot', 'process start → node Ready', 'ms', 'reaction'),
  metric('one.ready', '1 pod create → Ready', 'ms', 'start', 0.9),
  metric('one.first', '1 pod create → first instruction', 'ms', 'start', 0.85),
  metric('one.gone', 'delete of 1 pod → gone', 'ms', 'end', 0.65),
];

const AFTER: readonly Metric[] = [
  metric('exit.status', 'process exit → status', 'ms', 'reaction', 0.15),
  metric('crash.restart', 'crash → restarted process', 'ms', 'reaction', 0.3),
  metric('config-map', 'ConfigMap change → container', 'ms', 'reaction', 0.001),
  metric('probes.cpu', 'CPU with 1 s exec and HTTP probes', 'millicores', 'load'),
  metric('probes.changes', 'restarts and Ready flips meanwhile', 'times', 'load'),
  metric('scrape.cpu', 'CPU while all metrics are scraped', 'millicores', 'load', 0.5),
  metric('scrape.memory', 'resident memory after that', 'MiB', 'load', 1),
  metric('scrape.size', 'bytes of one scrape of all paths', 'KiB', 'load'),
  metric('death.ready', 'kill -9 → next pod Ready', 'ms', 'reaction'),
  metric('death.changes', 'restarts and Ready flips of other pods', 'times', 'reaction'),
  metric('churn.slope', 'growth of memory under churn', 'MiB/h', 'load'),
  metric('churn.margin', '± of that growth (95 %)', 'MiB/h', 'load'),
  metric('churn.rate', 'CPU per pod started and ended under churn', 'ms', 'load'),
];

export const countId = (pods: number, key: string): string => `pods-${pods}.${key}`;

/** All of them, for these numbers of pods. */
export function listMetrics(counts: readonly number[]): readonly Metric[] {
  const ofCounts = PER_COUNT.flatMap(({ key, title, unit, group, bars }) =>
    [0, ...counts].map((pods) => metric(countId(pods, key), title(pods), unit, group, bars?.[pods])),
  );
  return [...BEFORE, ...ofCounts, ...AFTER];
}
