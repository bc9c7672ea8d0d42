/**
 * The port PodStatsSource on the runtime interface: statistics and metrics that
 * the runtime counts itself. Holds no state.
 */
import { hasCode } from '../../base/errors.ts';
import type { MetricFamily, Sample } from '../../base/metric-registry.ts';
import type { RuntimePodSample } from '../../core/stats/runtime-pod-sample.ts';
import type { InterfaceSample } from '../../core/stats/samples.ts';
import { toStatsTime } from '../../core/stats/stats-time.ts';
import type { PsiData, PsiStats } from '../../core/stats/summary.ts';
import type { Usage } from '../../core/stats/to-usage.ts';
import {
  type ContainerStats,
  type Metric,
  type MetricDescriptor,
  MetricType,
  type NetworkInterfaceUsage,
  type PodSandboxMetrics,
  type PodSandboxStats,
  type UInt64Value,
  type PsiStats as WirePsi,
} from '../../gen/cri.ts';
import type { PodStatsSource } from '../../ports/host/stats-reader.ts';
import type { RuntimeCallOptions } from '../../ports/runtime/container-runtime.ts';
import type { CriClient } from './cri-client.ts';
import type { ListCaller, ListVariants } from './list-caller.ts';

const NANOS_PER_MS = 1e6;

const STATS: ListVariants<'listPodSandboxStats', 'streamPodSandboxStats', PodSandboxStats> = {
  unary: 'listPodSandboxStats',
  itemsOf: (response) => response.stats,
  streamed: 'streamPodSandboxStats',
  itemsOfMessage: (message) => message.podSandboxStats,
};

const METRICS: ListVariants<'listPodSandboxMetrics', 'streamPodSandboxMetrics', PodSandboxMetrics> = {
  unary: 'listPodSandboxMetrics',
  itemsOf: (response) => response.podMetrics,
  streamed: 'streamPodSandboxMetrics',
  itemsOfMessage: (message) => message.podSandboxMetrics,
};

export class CriPodStats implements PodStatsSource {
  readonly #client: CriClient;
  readonly #lists: ListCaller;

  constructor(client: CriClient, lists: ListCaller) {
    this.#client = client;
    this.#lists = lists;
  }

  async listPodStats(
    options: RuntimeCallOptions = {},
  ): Promise<ReadonlyMap<string, RuntimePodSample> | undefined> {
    const items = await orUnimplemented(this.#lists.list(STATS, { filter: {} }, options));
    return items && new Map(items.map((stats) => [stats.attributes?.id ?? '', fromWirePodStats(stats)]));
  }

  async listPodMetrics(options: RuntimeCallOptions = {}): Promise<readonly MetricFamily[] | undefined> {
    const described = await orUnimplemented(this.#client.call('listMetricDescriptors', {}, options));
    const pods = described && (await orUnimplemented(this.#lists.list(METRICS, {}, options)));
    return pods && toFamilies(described.descriptors, pods);
  }
}

async function orUnimplemented<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'unimplemented')) return undefined;
    throw error;
  }
}

/** Numbers the runtime does not send are absent. */
export function fromWirePodStats({ linux }: PodSandboxStats): RuntimePodSample {
  const { network, process, containers = [] } = linux ?? {};
  // The runtime lists the default one apart.
  const interfaces = [network?.defaultInterface, ...(network?.interfaces ?? [])].flatMap((found) =>
    found === undefined || found.name === '' ? [] : toInterface(found),
  );
  return {
    usage: linux === undefined ? {} : toWireUsage(linux),
    interfaces: [...new Map(interfaces.map((found) => [found.name, found])).values()],
    processes: process?.processCount?.value,
    containers: new Map(containers.map((stats) => [stats.attributes?.id ?? '', toWireUsage(stats)])),
  };
}

function toWireUsage({
  cpu,
  memory,
  io,
  ...rest
}: Pick<ContainerStats, 'cpu' | 'memory' | 'io'> & Partial<Pick<ContainerStats, 'swap'>>): Usage {
  const { swap } = rest;
  return {
    ...(cpu && {
      cpu: {
        time: toTime(cpu.timestamp),
        ...known({
          usageNanoCores: cpu.usageNanoCores,
          usageCoreNanoSeconds: cpu.usageCoreNanoSeconds,
        }),
        ...toPsi(cpu.psi),
      },
    }),
    ...(memory && {
      memory: {
        time: toTime(memory.timestamp),
        ...known({
          availableBytes: memory.availableBytes,
          usageBytes: memory.usageBytes,
          workingSetBytes: memory.workingSetBytes,
          rssBytes: memory.rssBytes,
          pageFaults: memory.pageFaults,
          majorPageFaults: memory.majorPageFaults,
        }),
        ...toPsi(memory.psi),
      },
    }),
    ...(io && { io: { time: toTime(io.timestamp), ...toPsi(io.psi) } }),
    ...(swap && {
      swap: {
        time: toTime(swap.timestamp),
        ...known({
          swapAvailableBytes: swap.swapAvailableBytes,
          swapUsageBytes: swap.swapUsageBytes,
        }),
      },
    }),
  };
}

function toInterface({ name, rxBytes, rxErrors, txBytes, txErrors }: NetworkInterfaceUsage): InterfaceSample {
  return {
    name,
    rxBytes: rxBytes?.value ?? 0,
    rxErrors: rxErrors?.value ?? 0,
    txBytes: txBytes?.value ?? 0,
    txErrors: txErrors?.value ?? 0,
  };
}

function known<K extends string>(
  fields: Readonly<Record<K, UInt64Value | undefined>>,
): { readonly [P in K]?: number } {
  const found: { [P in K]?: number } = {};
  for (const key in fields) {
    const value = fields[key]?.value;
    if (value !== undefined) found[key] = value;
  }
  return found;
}

function toPsi(psi: WirePsi | undefined): { readonly psi?: PsiStats } {
  if (psi?.Full === undefined || psi.Some === undefined) return {};
  const toData = ({ Total, Avg10, Avg60, Avg300 }: NonNullable<WirePsi['Full']>): PsiData => ({
    total: Total,
    avg10: Avg10,
    avg60: Avg60,
    avg300: Avg300,
  });
  return { psi: { full: toData(psi.Full), some: toData(psi.Some) } };
}

function toTime(nanos: number): string {
  return toStatsTime(nanos / NANOS_PER_MS);
}

/** Series that no descriptor names are left out: their labels have no names. */
export function toFamilies(
  descriptors: readonly MetricDescriptor[],
  pods: readonly PodSandboxMetrics[],
): MetricFamily[] {
  const metrics = pods.flatMap((pod) => [
    ...pod.metrics,
    ...pod.containerMetrics.flatMap((container) => container.metrics),
  ]);
  const byName = Map.groupBy(metrics, ({ name }) => name);
  return descriptors
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, help, labelKeys }): MetricFamily[] => {
      const found = byName.get(name);
      const [first] = found ?? [];
      if (found === undefined || first === undefined || !isMetricName(name)) return [];
      const kind = first.metricType === MetricType.COUNTER ? 'counter' : 'gauge';
      const samples = found.map((metric) => toSample(metric, labelKeys));
      return [{ name, help, kind, stability: 'NONE', samples: () => samples }];
    });
}

function toSample({ value, timestamp, labelValues }: Metric, keys: readonly string[]): Sample {
  const labels = keys.flatMap((key, index) =>
    isLabelName(key) ? [[key, labelValues[index] ?? ''] as const] : [],
  );
  const time = timestamp > 0 ? { timestampMs: timestamp / NANOS_PER_MS } : {};
  return { suffix: '', labels, value: value?.value ?? 0, ...time };
}

function isMetricName(name: string): boolean {
  return /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name);
}

function isLabelName(name: string): boolean {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name);
}
