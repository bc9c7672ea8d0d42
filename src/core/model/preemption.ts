/** How a pod ends that has to make room for a critical one: the event and the verdict of its status. */
import type { Pod } from '../api/pod.ts';
import { toDisruptionCondition } from './disruption-condition.ts';
import type { TerminationRequest } from './termination.ts';

/** Both in the event and in the status. */
export const PREEMPTION = {
  reason: 'Preempting',
  message: 'Preempted in order to admit critical pod',
} as const;

const DISRUPTED = 'Pod was preempted by Kubelet to accommodate a critical pod.';

export function toPreemption(victim: Pod): TerminationRequest {
  const conditions = [toDisruptionCondition(victim, DISRUPTED)];
  // The upstream kubelet lets the containers of a victim decide.
  return { cause: 'preempted', verdict: { ...PREEMPTION, conditions, unlessSucceeded: true } };
}
