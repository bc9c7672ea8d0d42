/**
 * The order in which pods are evicted for a signal: pods without statistics
 * first, then those that use more than they requested, then by priority, then
 * by how far they are above their request. Processes are not requested: there
 * only priority and number count.
 */
import type { Pod } from '../api/pod.ts';
import { bytesOf, computePodRequests } from '../resources/pod-resources.ts';
import type { PodStats } from '../stats/summary.ts';
import type { DiskLayout } from './disk-layout.ts';
import { usageOf } from './pod-usage.ts';
import { type EvictionSignal, resourceOf } from './signals.ts';

export interface RankedPod {
  readonly pod: Pod;
  readonly stats: PodStats | undefined;
  readonly usage: number;
  readonly request: number;
}

export type FindStats = (pod: Pod) => PodStats | undefined;

/** First to go first; pods that rank alike keep their order. */
export function rankPods(
  pods: readonly Pod[],
  findStats: FindStats,
  signal: EvictionSignal,
  layout: DiskLayout,
): RankedPod[] {
  const ranked = pods.map((pod): RankedPod => {
    const stats = findStats(pod);
    const usage = stats === undefined ? 0 : usageOf(pod, stats, signal, layout);
    return { pod, stats, usage, request: requestOf(pod, signal) };
  });
  const keys = signal === 'pid.available' ? PROCESS_KEYS : AMOUNT_KEYS;
  return ranked.toSorted((a, b) => {
    for (const key of keys) {
      const difference = key(a) - key(b);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** Smaller goes first. */
type RankKey = (ranked: RankedPod) => number;

const byPriority: RankKey = ({ pod }) => pod.spec.priority ?? 0;

const PROCESS_KEYS: readonly RankKey[] = [byPriority, ({ usage }) => -usage];

const AMOUNT_KEYS: readonly RankKey[] = [
  ({ stats }) => (stats === undefined ? 0 : 1),
  ({ stats, usage, request }) => (stats === undefined || usage > request ? 0 : 1),
  byPriority,
  ({ usage, request }) => request - usage,
];

/** Inodes and processes cannot be requested. */
function requestOf(pod: Pod, signal: EvictionSignal): number {
  const resource = resourceOf(signal);
  if (resource !== 'memory' && resource !== 'ephemeral-storage') return 0;
  return bytesOf(computePodRequests(pod), resource);
}
