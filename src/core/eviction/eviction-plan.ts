/** How far the node is from each threshold, and who would go first: the same rules as an eviction, without one. */
import type { Pod } from '../api/pod.ts';
import { isCritical } from '../api/pod-identity.ts';
import type { DiskLayout } from './disk-layout.ts';
import type { Observation, Observations } from './observations.ts';
import { type FindStats, type RankedPod, rankPods } from './rank-pods.ts';
import type { EvictionSignal } from './signals.ts';
import { isHard, type Threshold, toThresholdAmount } from './threshold.ts';

/** A pod in the order in which it would go. */
export interface EvictionCandidate {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly priority: number;
  /** In the unit of the signal: what would be free without it. Undefined without statistics. */
  readonly usage: number | undefined;
  readonly request: number;
}

export interface SignalPlan {
  readonly signal: EvictionSignal;
  readonly kind: 'hard' | 'soft';
  readonly available: number;
  readonly capacity: number;
  /** Pods are evicted when less than this is available. */
  readonly threshold: number;
  readonly isMet: boolean;
  /** First to go first; static and critical pods never do. */
  readonly candidates: readonly EvictionCandidate[];
}

export interface EvictionPlanInput {
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
  readonly pods: readonly Pod[];
  readonly findStats: FindStats;
  readonly layout: DiskLayout;
}

/** The nearest threshold first. A signal that was not measured is left out. */
export function planEviction(input: EvictionPlanInput): SignalPlan[] {
  const { thresholds, observations } = input;
  const plans = thresholds.flatMap((threshold): SignalPlan[] => {
    const observation = observations.get(threshold.signal);
    return observation === undefined ? [] : [toSignalPlan(input, threshold, observation)];
  });
  return plans.toSorted((a, b) => toMargin(a) - toMargin(b));
}

function toSignalPlan(
  { pods, findStats, layout }: EvictionPlanInput,
  { signal, value, ...rest }: Threshold,
  { available, capacity }: Observation,
): SignalPlan {
  const threshold = toThresholdAmount(value, capacity);
  const kind = isHard({ signal, value, ...rest }) ? 'hard' : 'soft';
  const ranked = rankPods(
    pods.filter((pod) => !isCritical(pod)),
    findStats,
    signal,
    layout,
  );
  const isMet = available < threshold;
  return { signal, kind, available, capacity, threshold, isMet, candidates: ranked.map(toCandidate) };
}

function toCandidate({ pod, stats, usage, request }: RankedPod): EvictionCandidate {
  const { namespace = '', name, uid } = pod.metadata;
  return {
    namespace,
    name,
    uid,
    priority: pod.spec.priority ?? 0,
    usage: stats === undefined ? undefined : usage,
    request,
  };
}

/** As a share of what there is, so that bytes and processes can be compared. */
function toMargin({ available, threshold, capacity }: SignalPlan): number {
  return (available - threshold) / Math.max(1, capacity);
}
