/**
 * How many dead containers a node keeps for debugging: per container, on the
 * whole node, and always those younger than a minimum age.
 */
import type { ContainerId } from '../model/ids.ts';
import type { ObservedContainer, ObservedPod } from '../model/observed-pod.ts';

/** A negative number is no bound. */
export interface DeadContainerPolicy {
  /** Younger ones are neither removed nor counted. */
  readonly minAgeMs: number;
  readonly maxPerContainer: number;
  readonly maxTotal: number;
}

export const KEEP_ONE: DeadContainerPolicy = { minAgeMs: 0, maxPerContainer: 1, maxTotal: -1 };

/** The input of a clean-up. */
export interface DeadContainerFacts {
  readonly policy: DeadContainerPolicy;
  /** Those that must be removed to meet the node's total. */
  readonly surplus: ReadonlySet<ContainerId>;
}

/** A container that no longer runs, or never did, and is old enough to be removed. */
export function isRemovable(
  { state, createdAtMs }: ObservedContainer,
  { minAgeMs }: DeadContainerPolicy,
  nowMs: number,
): boolean {
  return (state === 'exited' || state === 'created') && createdAtMs <= nowMs - minAgeMs;
}

/**
 * The containers of all pods in excess of what the node keeps: first every
 * container is cut to its fair share, at least one, then the oldest go.
 */
export function findSurplus(
  pods: Iterable<ObservedPod>,
  policy: DeadContainerPolicy,
  nowMs: number,
): Set<ContainerId> {
  if (policy.maxTotal < 0) return new Set();
  const kept = [...pods].flatMap((pod) => toUnits(pod, policy, nowMs));
  const total = kept.reduce((sum, unit) => sum + unit.length, 0);
  if (total <= policy.maxTotal) return new Set();
  const share = Math.max(1, Math.floor(policy.maxTotal / kept.length));
  const surplus = kept.flatMap((unit) => unit.slice(share));
  const left = kept
    .flatMap((unit) => unit.slice(0, share))
    .sort((a, b) => b.createdAtMs - a.createdAtMs)
    .slice(policy.maxTotal);
  return new Set([...surplus, ...left].map(({ id }) => id));
}

/** The dead instances of each container, newest first, as many as each may have by itself. */
function toUnits(pod: ObservedPod, policy: DeadContainerPolicy, nowMs: number): ObservedContainer[][] {
  const units = new Map<string, ObservedContainer[]>();
  for (const container of pod.containers) {
    if (!isRemovable(container, policy, nowMs)) continue;
    const unit = units.get(container.name) ?? [];
    units.set(container.name, unit);
    if (policy.maxPerContainer < 0 || unit.length < policy.maxPerContainer) unit.push(container);
  }
  return [...units.values()].filter((unit) => unit.length > 0);
}
