/**
 * Statuses that are about to be replaced by a better one: of a pod that is being
 * made, and of one that is being taken apart for good. They are worth a write to
 * the API server only when they last.
 */
import type { Pod } from '../api/pod.ts';
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';

/** Undefined: made by the runtime, but not yet started. */
const MAKING: readonly (string | undefined)[] = ['ContainerCreating', 'PodInitializing', undefined];

/** True while nothing of the pod has failed and it is not yet what it is to be. */
export function isPassing(pod: Pod, status: PodStatus): boolean {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  if (pod.metadata.deletionTimestamp !== undefined)
    return containers.every(({ state }) => state.running === undefined);
  return status.phase === 'Pending' && containers.every(isBeingMade);
}

function isBeingMade({ state, restartCount }: ContainerStatus): boolean {
  const { running, terminated, waiting } = state;
  if (restartCount > 0) return false;
  if (terminated !== undefined) return terminated.exitCode === 0;
  return running !== undefined || MAKING.includes(waiting?.reason);
}
