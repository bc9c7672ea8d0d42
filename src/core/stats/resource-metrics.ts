/**
 * The families of `/metrics/resource`: CPU, memory and swap of the node, its
 * pods and their containers. Samples carry the time they were measured, except
 * the start time and the error.
 */
import type { MetricFamily, MetricKind, Sample, Stability } from '../../base/metric-registry.ts';
import type { ContainerStats, PodStats, Summary, SwapStats } from './summary.ts';

const NS_PER_SECOND = 1e9;
const ERROR_HELP = '1 if there was an error while getting container metrics, 0 otherwise';
const NOT_WINDOWS = 'Reported only on non-windows systems';

/** A summary and when it was measured; its own times are whole seconds. */
export interface TimedSummary {
  readonly summary: Summary;
  readonly atMs: number;
}

interface Point {
  readonly labels: Sample['labels'];
  readonly value: number | undefined;
}

interface Definition {
  readonly name: string;
  readonly help: string;
  readonly kind: MetricKind;
  readonly stability: Stability;
  /** False for a value that is no measurement of this moment. */
  readonly isTimed: boolean;
  readonly points: (measured: Measured) => readonly Point[];
}

type Labelled<T> = readonly [labels: Sample['labels'], stats: T];

/** What the samples are of; each with the labels that all its samples share. */
interface Measured {
  readonly node: Summary['node'];
  readonly pods: readonly Labelled<PodStats>[];
  readonly containers: readonly Labelled<ContainerStats>[];
}

/** Without a reading only the error is shown. `showHidden`: also by its name of earlier releases. */
export function toResourceMetrics(reading: TimedSummary | undefined, showHidden = false): MetricFamily[] {
  const families = reading === undefined ? [] : toFamilies(reading);
  const failed = reading === undefined ? 1 : 0;
  const hidden = showHidden
    ? [{ ...toErrorFamily(failed), name: 'scrape_error', help: `(Deprecated since 1.29.0) ${ERROR_HELP}` }]
    : [];
  return [...families, toErrorFamily(failed), ...hidden];
}

function toFamilies({ summary, atMs }: TimedSummary): MetricFamily[] {
  const pods = listPods(summary);
  const measured = { node: summary.node, pods, containers: listContainers(pods) };
  return DEFINITIONS.map(({ points, isTimed, ...family }) => {
    const time = isTimed ? { timestampMs: atMs } : {};
    const samples = points(measured).flatMap(({ labels, value }): Sample[] =>
      value === undefined ? [] : [{ suffix: '', labels, value, ...time }],
    );
    return { ...family, samples: () => samples };
  });
}

function toErrorFamily(value: number): MetricFamily {
  return {
    name: 'resource_scrape_error',
    help: ERROR_HELP,
    kind: 'gauge',
    stability: 'STABLE',
    samples: () => [{ suffix: '', labels: [], value }],
  };
}

function ofNode(value: (stats: Summary['node']) => number | undefined) {
  return ({ node }: Measured): Point[] => [{ labels: [], value: value(node) }];
}

function ofPods(value: (stats: PodStats) => number | undefined) {
  return ({ pods }: Measured): Point[] => pods.map(([labels, stats]) => ({ labels, value: value(stats) }));
}

function ofContainers(value: (stats: ContainerStats) => number | undefined) {
  return ({ containers }: Measured): Point[] =>
    containers.map(([labels, stats]) => ({ labels, value: value(stats) }));
}

function listPods({ pods }: Summary): Labelled<PodStats>[] {
  return pods.map((pod) => [
    [
      ['namespace', pod.podRef.namespace],
      ['pod', pod.podRef.name],
    ],
    pod,
  ]);
}

function listContainers(pods: readonly Labelled<PodStats>[]): Labelled<ContainerStats>[] {
  return pods.flatMap(([labels, pod]) =>
    pod.containers.map((stats): Labelled<ContainerStats> => [[['container', stats.name], ...labels], stats]),
  );
}

function toCpuSeconds({ cpu }: Pick<ContainerStats, 'cpu'>): number | undefined {
  const usage = cpu?.usageCoreNanoSeconds;
  return usage === undefined ? undefined : usage / NS_PER_SECOND;
}

function toWorkingSet({ memory }: Pick<ContainerStats, 'memory'>): number | undefined {
  return memory?.workingSetBytes;
}

function toSwapUsage({ swap }: { readonly swap?: SwapStats }): number | undefined {
  return swap?.swapUsageBytes;
}

function toSwapLimit({ swap }: { readonly swap?: SwapStats }): number | undefined {
  if (swap?.swapAvailableBytes === undefined || swap.swapUsageBytes === undefined) return undefined;
  return swap.swapAvailableBytes + swap.swapUsageBytes;
}

function toStartSeconds({ startTime }: ContainerStats): number | undefined {
  const seconds = Date.parse(startTime) / 1000;
  return seconds > 0 ? seconds : undefined;
}

/** What is the same for most of them. */
function gauge(
  name: string,
  help: string,
  points: Definition['points'],
  stability: Stability = 'STABLE',
): Definition {
  return { name, help, kind: 'gauge', stability, isTimed: true, points };
}

function counter(name: string, help: string, points: Definition['points']): Definition {
  return { ...gauge(name, help, points), kind: 'counter' };
}

/** By name. */
const DEFINITIONS: readonly Definition[] = [
  counter(
    'container_cpu_usage_seconds_total',
    'Cumulative cpu time consumed by the container in core-seconds',
    ofContainers(toCpuSeconds),
  ),
  gauge(
    'container_memory_working_set_bytes',
    'Current working set of the container in bytes',
    ofContainers(toWorkingSet),
  ),
  {
    ...gauge(
      'container_start_time_seconds',
      'Start time of the container since unix epoch in seconds',
      ofContainers(toStartSeconds),
    ),
    isTimed: false,
  },
  gauge(
    'container_swap_limit_bytes',
    `Current amount of the container swap limit in bytes. ${NOT_WINDOWS}`,
    ofContainers(toSwapLimit),
    'ALPHA',
  ),
  gauge(
    'container_swap_usage_bytes',
    `Current amount of the container swap usage in bytes. ${NOT_WINDOWS}`,
    ofContainers(toSwapUsage),
    'ALPHA',
  ),
  counter(
    'node_cpu_usage_seconds_total',
    'Cumulative cpu time consumed by the node in core-seconds',
    ofNode(toCpuSeconds),
  ),
  gauge('node_memory_working_set_bytes', 'Current working set of the node in bytes', ofNode(toWorkingSet)),
  gauge(
    'node_swap_usage_bytes',
    `Current swap usage of the node in bytes. ${NOT_WINDOWS}`,
    ofNode(toSwapUsage),
    'ALPHA',
  ),
  counter(
    'pod_cpu_usage_seconds_total',
    'Cumulative cpu time consumed by the pod in core-seconds',
    ofPods(toCpuSeconds),
  ),
  gauge('pod_memory_working_set_bytes', 'Current working set of the pod in bytes', ofPods(toWorkingSet)),
  gauge(
    'pod_swap_usage_bytes',
    `Current amount of the pod swap usage in bytes. ${NOT_WINDOWS}`,
    ofPods(toSwapUsage),
    'ALPHA',
  ),
];
