/** Who ends when, and with which words, while the node shuts down. */
import type { Pod } from '../api/pod.ts';
import { toDisruptionCondition } from '../model/disruption-condition.ts';
import type { TerminationRequest } from '../model/termination.ts';
import type { ShutdownPeriod } from './shutdown-periods.ts';

/** Why no pod is taken and the node is not ready meanwhile. */
export const SHUTTING_DOWN = 'node is shutting down';

const REASON = 'Terminated';
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

/** Pods that end at the same time; the next group follows when they have, or when their time is over. */
export interface ShutdownGroup extends ShutdownPeriod {
  readonly pods: readonly Pod[];
}

/**
 * Groups in their order, without those that have no pods: no time is spent on them. A pod is in the group with the
 * highest priority that is not above its own; one below all groups is in the first.
 * @param periods lowest priority first
 */
export function planShutdown(periods: readonly ShutdownPeriod[], pods: readonly Pod[]): ShutdownGroup[] {
  const groups = periods.map((period) => ({ ...period, pods: [] as Pod[] }));
  for (const pod of pods) {
    const priority = pod.spec.priority ?? 0;
    const group = groups.findLast((candidate) => candidate.priority <= priority) ?? groups[0];
    group?.pods.push(pod);
  }
  return groups.filter((group) => group.pods.length > 0);
}

/** The pod's own grace, unless its group has less time. */
export function toShutdownTermination(pod: Pod, groupSeconds: number): TerminationRequest {
  const graceSeconds = Math.min(groupSeconds, pod.spec.terminationGracePeriodSeconds ?? groupSeconds);
  const conditions = [toDisruptionCondition(pod, MESSAGE)];
  // What its containers made of it before counts: a pod that has succeeded did so.
  const verdict = { reason: REASON, message: MESSAGE, conditions, unlessSucceeded: true };
  return { cause: 'shutdown', graceSeconds, verdict };
}
