/** Whether a pod holds resources of the node that a new pod could not have beside it. */
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { TerminationCause } from '../../core/model/termination.ts';
import { isTerminalPhase } from '../../core/status/phase.ts';

/** Pods that end for these causes hold nothing that a new pod could not have. */
const HOLDS_NOTHING: ReadonlySet<TerminationCause> = new Set([
  'rejected',
  'preempted',
  'removed',
  'orphaned',
]);

/** For a pod of which something may still run. */
export function holdsResources({ source, pod, termination }: DesiredPod): boolean {
  if (source === 'runtime') return false;
  if (termination === undefined) return true;
  if (termination.cause === 'completed' && isTerminalPhase(pod.status?.phase)) return false;
  return !HOLDS_NOTHING.has(termination.cause);
}
