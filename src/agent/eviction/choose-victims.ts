/** Which pods have to go: the first of those that may for a threshold, and all that exceed their own limits of local storage. */
import type { Pod } from '../../core/api/pod.ts';
import { isCritical, podRef } from '../../core/api/pod-identity.ts';
import { describeEviction } from '../../core/eviction/eviction-message.ts';
import { findLocalStorageExcess } from '../../core/eviction/local-storage.ts';
import type { Observations } from '../../core/eviction/observations.ts';
import { rankPods } from '../../core/eviction/rank-pods.ts';
import { isHard, type Threshold } from '../../core/eviction/threshold.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { PodStats } from '../../core/stats/summary.ts';
import type { NodeStatistics, StatisticsReading } from '../../ports/host/node-statistics.ts';
import { type EvictPodParts, evictPod } from './evict-pod.ts';

const HARD_GRACE_SECONDS = 1;
/** How old a reading may be that a pod is held to its own limits by. */
const LIMIT_AGE_MS = 5_000;

export interface VictimParts extends EvictPodParts {
  readonly statistics: Pick<NodeStatistics, 'read'>;
  /** The longest grace of a soft eviction is one of them. */
  readonly settings: { readonly maxPodGraceSeconds: number };
  /** Those that come into question. */
  readonly pods: readonly Pod[];
}

/** Undefined when no pod may be ended. */
export function evictFirst(
  parts: VictimParts,
  threshold: Threshold,
  { summary, layout, atMs }: StatisticsReading,
  observations: Observations,
): PodUid | undefined {
  const { clock, logger, meter } = parts.kit;
  const { signal } = threshold;
  meter.evictionStatsUsed(signal, Math.max(0, clock.now() - atMs));
  for (const { pod, stats } of rankPods(parts.pods, toStatsLookup(summary.pods), signal, layout)) {
    if (isCritical(pod)) {
      logger.error('cannot evict a critical pod', undefined, { pod: podRef(pod) });
      continue;
    }
    const text = describeEviction(pod, stats, threshold, observations.get(signal));
    const graceSeconds = graceOf(pod, threshold, parts.settings.maxPodGraceSeconds);
    if (evictPod(parts, pod, { text, signal, graceSeconds, isDisruption: true }))
      return toPodUid(pod.metadata.uid);
  }
  logger.warn('no pod can be evicted', { signal });
  return undefined;
}

/** Of pods that have such limits. Rejects with AgentError when the pods cannot be measured. */
export async function evictOverLimit(parts: VictimParts, signal: AbortSignal): Promise<PodUid[]> {
  if (parts.pods.length === 0) return [];
  const { summary, layout } = await parts.statistics.read({ maxAgeMs: LIMIT_AGE_MS, signal });
  const find = toStatsLookup(summary.pods);
  return parts.pods.flatMap((pod) => {
    const stats = find(pod);
    const excess = stats === undefined ? undefined : findLocalStorageExcess(pod, stats, layout);
    if (excess === undefined || isCritical(pod)) return [];
    const text = { message: excess.message, annotations: {} };
    const eviction = { text, signal: excess.limit, graceSeconds: HARD_GRACE_SECONDS, isDisruption: false };
    return evictPod(parts, pod, eviction) ? [toPodUid(pod.metadata.uid)] : [];
  });
}

export function toStatsLookup(all: readonly PodStats[]): (pod: Pod) => PodStats | undefined {
  const byUid = new Map(all.map((stats) => [stats.podRef.uid, stats]));
  return ({ metadata: { uid } }) => byUid.get(uid ?? '');
}

function graceOf(pod: Pod, threshold: Threshold, maxPodGraceSeconds: number): number {
  if (isHard(threshold)) return HARD_GRACE_SECONDS;
  return Math.min(maxPodGraceSeconds, pod.spec.terminationGracePeriodSeconds ?? 0);
}
