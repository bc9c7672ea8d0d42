/**
 * Whether a status says no more than that a pod is being started. Who looks
 * at it learns nothing to act on, and for most pods what comes next is there
 * in a moment: the status reporter lets such a status wait for it.
 */
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';

/** What a container waits for that nothing is wrong with. */
const USUAL: ReadonlySet<string | undefined> = new Set([undefined, 'ContainerCreating', 'PodInitializing']);

export function isStarting(status: PodStatus): boolean {
  const { phase, reason, message, initContainerStatuses = [], containerStatuses = [] } = status;
  if (phase !== 'Pending' || reason !== undefined || message !== undefined) return false;
  return [...initContainerStatuses, ...containerStatuses].every(isUntouched);
}

function isUntouched({ state, lastState }: ContainerStatus): boolean {
  const { running, terminated, waiting } = state;
  if (running !== undefined || terminated !== undefined || lastState.terminated !== undefined) return false;
  return USUAL.has(waiting?.reason) && waiting?.message === undefined;
}
