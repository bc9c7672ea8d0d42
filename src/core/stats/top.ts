/** What `kubelet top` shows: CPU and memory of the node, its pods and their containers, and how it came about. */
import type { ContainerStats, Summary } from './summary.ts';

export interface TopReport {
  /** When it was measured, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly node: TopNode;
  readonly pods: readonly TopPod[];
  /** When the points of every history were taken; oldest first. */
  readonly historyMs: readonly number[];
}

export interface TopUsage {
  /** Null when there was only one measurement yet. */
  readonly cpuNanoCores: number | null;
  readonly memoryBytes: number | null;
}

/** One value for each time; null where it was not measured. */
export interface TopHistory {
  readonly cpuNanoCores: readonly (number | null)[];
  readonly memoryBytes: readonly (number | null)[];
}

export interface TopNode extends TopUsage {
  readonly name: string;
  readonly cores: number;
  /** All there is; null when that is not known. */
  readonly totalMemoryBytes: number | null;
  readonly history: TopHistory;
}

export interface TopPod extends TopUsage {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly containers: readonly (TopUsage & { readonly name: string })[];
  readonly history: TopHistory;
}

/** The past of the node and of pods. */
export interface UsagePast {
  readonly atMs: readonly number[];
  /** Of the node without a UID. */
  readonly of: (uid?: string) => TopHistory;
}

export function toTopReport(
  { summary, atMs }: { readonly summary: Summary; readonly atMs: number },
  cores: number,
  past: UsagePast,
): TopReport {
  const { node, pods } = summary;
  const { availableBytes, workingSetBytes } = node.memory ?? {};
  const isKnown = availableBytes !== undefined && workingSetBytes !== undefined;
  return {
    atMs,
    node: {
      name: node.nodeName,
      cores,
      ...toTopUsage(node),
      totalMemoryBytes: isKnown ? availableBytes + workingSetBytes : null,
      history: past.of(),
    },
    pods: pods.map((pod) => ({
      namespace: pod.podRef.namespace,
      name: pod.podRef.name,
      uid: pod.podRef.uid,
      ...toTopUsage(pod),
      containers: pod.containers.map((container) => ({ name: container.name, ...toTopUsage(container) })),
      history: past.of(pod.podRef.uid),
    })),
    historyMs: past.atMs,
  };
}

export function toTopUsage({ cpu, memory }: Pick<ContainerStats, 'cpu' | 'memory'>): TopUsage {
  return { cpuNanoCores: cpu?.usageNanoCores ?? null, memoryBytes: memory?.workingSetBytes ?? null };
}
