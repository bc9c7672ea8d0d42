/**
 * Whether a pod has run to its end, derived from its containers alone. A pod
 * that is over gets no sandbox and no start, also after a restart of the agent
 * that has lost how it ended; the phase is terminal in the same cases.
 */
import type { Pod } from '../api/pod.ts';
import { newestInstance, type ObservedPod } from '../model/observed-pod.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { exitCodeOf, isFailedInit, restartsAfterExit } from '../model/restart.ts';

/** True when every main container ended for good, or an init container failed for good. */
export function isOver(pod: Pod, observed: ObservedPod): boolean {
  const endedForGood = (container: Pod['spec']['containers'][number], mustFail: boolean): boolean => {
    const newest = newestInstance(observed, container.name);
    if (newest?.state !== 'exited' || (mustFail && !isFailedInit(newest))) return false;
    return !restartsAfterExit(pod, container, exitCodeOf(newest));
  };
  const initFailed = initContainersOf(pod).some(
    (container) => !isSidecar(container) && endedForGood(container, true),
  );
  return initFailed || pod.spec.containers.every((container) => endedForGood(container, false));
}
