/**
 * The last status of a pod, made when nothing of it is left on the node: no
 * container may look alive in it and, unless the node itself owns the pod, the
 * phase is terminal. Afterwards the API object may be deleted.
 */
import type { Pod } from '../api/pod.ts';
import { isStatic } from '../api/pod-identity.ts';
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { isWaiting, LOST_REASON, LOST_WHEN_TERMINATED, lostState } from './container-state.ts';
import { isTerminalPhase } from './phase.ts';
import { withTerminalReadiness } from './status-guards.ts';

/** The status to publish, forced, once everything of the pod is gone. Applying it twice changes nothing. */
export function computeFinalStatus(pod: Pod, status: PodStatus, nowMs: number): PodStatus {
  const { containerStatuses, initContainerStatuses } = status;
  const initialized = hasInitialized(pod, status);
  const started = startedInitCount(initContainerStatuses ?? []);
  const final: PodStatus = {
    ...status,
    ...(containerStatuses === undefined
      ? {}
      : { containerStatuses: initialized ? containerStatuses.map(toEnded) : containerStatuses }),
    ...(initContainerStatuses === undefined
      ? {}
      : {
          initContainerStatuses: initContainerStatuses.map((container, index) =>
            index < started ? toEnded(container) : container,
          ),
        }),
    ...(isStatic(pod) || isTerminalPhase(status.phase) ? {} : { phase: 'Failed' }),
  };
  return withTerminalReadiness(final, nowMs);
}

/** True when the pod ever got past its init containers. */
export function hasInitialized(pod: Pod, status: PodStatus): boolean {
  const init = initContainersOf(pod);
  const last = init.at(-1);
  if (last === undefined) return true;
  if ((status.containerStatuses ?? []).some(everStarted)) return true;
  const lastStatus = status.initContainerStatuses?.find(({ name }) => name === last.name);
  if (lastStatus === undefined) return false;
  if (isSidecar(last)) return lastStatus.started === true;
  const { state, lastState } = lastStatus;
  return state.terminated?.exitCode === 0 || lastState.terminated?.exitCode === 0;
}

/** All init containers up to the last that ever started, and at least the first. */
function startedInitCount(statuses: readonly ContainerStatus[]): number {
  return Math.max(1, statuses.findLastIndex(everStarted) + 1);
}

function everStarted({ state, lastState }: ContainerStatus): boolean {
  return !isWaiting(state) || lastState.terminated !== undefined;
}

function toEnded(status: ContainerStatus): ContainerStatus {
  if (status.state.terminated !== undefined) return status;
  return {
    ...status,
    state: lostState(LOST_REASON, LOST_WHEN_TERMINATED),
    ready: false,
    ...(status.started === undefined ? {} : { started: false }),
  };
}
