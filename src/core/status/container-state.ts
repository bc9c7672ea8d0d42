/**
 * One runtime instance as API container state. The newest instance gives the
 * state, the one before it the last state; what the runtime has forgotten is
 * taken from the status published before.
 */
import type { ContainerState, ContainerStateTerminated, ContainerStatus } from '../api/pod-status.ts';
import { readRestartCount } from '../model/container-labels.ts';
import type { ContainerId } from '../model/ids.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import { exitCodeOf } from '../model/restart.ts';
import { RESTARTING_ALL_REASON } from '../pod/restart-all.ts';
import { toApiTime } from './api-time.ts';
import { joinMessage } from './termination-message.ts';

export const LOST_REASON = 'ContainerStatusUnknown';
/** As if killed: the real exit code is unknown. */
const LOST_EXIT_CODE = 137;
export const LOST_WHEN_TERMINATED = 'The container could not be located when the pod was terminated';

export interface StateContext {
  readonly runtimeName: string;
  /** The whole pod is being restarted in place. */
  readonly restartingAll: boolean;
  /** What each ended instance wrote itself; an instance without any keeps its published message. */
  readonly terminationMessages: ReadonlyMap<ContainerId, string>;
}

/** `<runtime>://<id>`, the way the API names an instance. */
export function toContainerRef(runtimeName: string, id: ContainerId): string {
  return `${runtimeName}://${id}`;
}

/** A state for a container that ran when it was last seen. */
export function lostState(
  reason: string,
  message: string,
): { readonly terminated: ContainerStateTerminated } {
  return { terminated: { exitCode: LOST_EXIT_CODE, reason, message } };
}

/** The state of the newest instance. */
export function toState(
  instance: ObservedContainer,
  old: ContainerStatus | undefined,
  context: StateContext,
): ContainerState {
  switch (instance.state) {
    case 'running':
      return { running: { startedAt: toApiTime(instance.details?.startedAtMs ?? instance.createdAtMs) } };
    case 'created':
      return { waiting: {} };
    case 'exited':
      return { terminated: toTerminated(instance, old, context) };
    case 'unknown':
      return unknownState(instance, old, context);
  }
}

/** The last state beside the newest instance; `earlier` is the instance before it, if the runtime still has it. */
export function toLastState(
  newest: ObservedContainer,
  earlier: ObservedContainer | undefined,
  old: ContainerStatus | undefined,
  context: StateContext,
): ContainerState {
  if (earlier?.state === 'exited') return { terminated: toTerminated(earlier, old, context) };
  if (old === undefined) return {};
  const ref = toContainerRef(context.runtimeName, newest.id);
  if (old.containerID === ref || isWaiting(old.state)) {
    // Shown as last state while the instance waited for a restart: it is the state again.
    return old.lastState.terminated?.containerID === ref ? {} : old.lastState;
  }
  if (old.state.terminated !== undefined) return old.state;
  return earlier?.state === 'unknown' ? lostState(lossReason(context), LOST_WHEN_TERMINATED) : {};
}

/** How often the container was started again; never less than was published. */
export function toRestartCount(
  newest: ObservedContainer,
  old: ContainerStatus | undefined,
  runtimeName: string,
): number {
  // One that was only created is no restart yet; the next one may reuse its number.
  const recorded = Math.max(0, readRestartCount(newest) - (newest.state === 'created' ? 1 : 0));
  if (old === undefined) return recorded;
  if (newest.state === 'unknown' && old.state.running !== undefined) {
    return Math.max(recorded, old.restartCount + 1);
  }
  const replaced = old.containerID !== toContainerRef(runtimeName, newest.id);
  if (newest.state === 'running' && replaced && old.state.terminated !== undefined) {
    return Math.max(recorded, old.restartCount + 1);
  }
  return Math.max(recorded, old.restartCount);
}

/** The API's rule: no key set means waiting. */
export function isWaiting(state: ContainerState): boolean {
  return state.running === undefined && state.terminated === undefined;
}

function unknownState(
  instance: ObservedContainer,
  old: ContainerStatus | undefined,
  context: StateContext,
): ContainerState {
  const containerID = toContainerRef(context.runtimeName, instance.id);
  if (old?.state.running !== undefined) {
    const { terminated } = lostState(lossReason(context), LOST_WHEN_TERMINATED);
    return { terminated: { ...terminated, containerID } };
  }
  // Once published as ended it stays so: a status must not flap.
  const ended = publishedEnd(old, containerID);
  if (ended !== undefined) return { terminated: ended };
  return { waiting: {} };
}

function lossReason({ restartingAll }: StateContext): string {
  return restartingAll ? RESTARTING_ALL_REASON : LOST_REASON;
}

function toTerminated(
  instance: ObservedContainer,
  old: ContainerStatus | undefined,
  context: StateContext,
): ContainerStateTerminated {
  const { startedAtMs, finishedAtMs, reason = '' } = instance.details ?? {};
  const containerID = toContainerRef(context.runtimeName, instance.id);
  const message = toMessage(instance, containerID, old, context);
  return {
    exitCode: exitCodeOf(instance),
    ...(reason === '' ? {} : { reason }),
    ...(message === '' ? {} : { message }),
    ...(startedAtMs === undefined ? {} : { startedAt: toApiTime(startedAtMs) }),
    ...(finishedAtMs === undefined ? {} : { finishedAt: toApiTime(finishedAtMs) }),
    containerID,
  };
}

function toMessage(
  instance: ObservedContainer,
  containerID: string,
  old: ContainerStatus | undefined,
  { terminationMessages }: StateContext,
): string {
  const text = terminationMessages.get(instance.id) ?? '';
  const published = publishedEnd(old, containerID);
  // The file may be gone by now; what an ended instance said does not change.
  if (text === '' && published?.message !== undefined) return published.message;
  return joinMessage(instance.details?.message ?? '', text);
}

/** What was published about the end of this same instance. */
function publishedEnd(
  old: ContainerStatus | undefined,
  containerID: string,
): ContainerStateTerminated | undefined {
  return [old?.state.terminated, old?.lastState.terminated].find(
    (ended) => ended?.containerID === containerID,
  );
}
