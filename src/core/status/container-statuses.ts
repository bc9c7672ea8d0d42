/**
 * The container statuses of a pod: for every container of the spec what the
 * runtime has, or what is known when it has nothing. Restart counts never
 * fall and a container that ended is not forgotten with its instance.
 * `ready` and `started` are filled by readiness.ts.
 */
import type { Container, Pod, ResourceRequirements } from '../api/pod.ts';
import type {
  AllocatedResourceStatus,
  ContainerState,
  ContainerStatus,
  PodStatus,
} from '../api/pod-status.ts';
import type { GrantedResources } from '../model/granted-resources.ts';
import type { ObservedContainer, ObservedPod } from '../model/observed-pod.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { exitCodeOf, shouldStart } from '../model/restart.ts';
import type { WaitingReason } from '../model/start-failure.ts';
import { RESTARTING_ALL_REASON } from '../pod/restart-all.ts';
import { computeStatusResources } from './container-resources.ts';
import {
  isWaiting,
  LOST_REASON,
  lostState,
  type StateContext,
  toContainerRef,
  toLastState,
  toRestartCount,
  toState,
} from './container-state.ts';
import { cutMessage, messageLimit } from './termination-message.ts';

const LOST_WHEN_DELETED =
  'The container could not be located when the pod was deleted.  The container used to be Running';
const REMOVED_FOR_RESTART = 'The container is removed because RestartAllContainers in place';
const TREATED_AS_COMPLETED =
  'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally';

export interface ContainerStatusFacts extends StateContext {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly old: PodStatus | undefined;
  readonly waitingReasons: ReadonlyMap<string, WaitingReason>;
  /** What is in force of the resources that the spec, as granted, has. */
  readonly actuated?: GrantedResources | undefined;
  /** The health of devices, by container. */
  readonly resourceHealth?: ReadonlyMap<string, readonly AllocatedResourceStatus[]> | undefined;
  /** The runtime handler can make mounts recursively read-only. */
  readonly supportsRecursiveReadOnly?: boolean;
  /** Feature gate ContainerStopSignals. */
  readonly reportStopSignal?: boolean;
}

export interface ContainerStatuses {
  /** In spec order. */
  readonly init: readonly ContainerStatus[];
  /** By name, as readers of the API expect. */
  readonly regular: readonly ContainerStatus[];
  readonly ephemeral: readonly ContainerStatus[];
}

/** One status for every container of the spec. */
export function computeContainerStatuses(facts: ContainerStatusFacts): ContainerStatuses {
  const { spec } = facts.pod;
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = facts.old ?? {};
  const initialized = hasRegularInstance(facts);
  const compute = (
    containers: readonly Container[] | undefined,
    old: readonly ContainerStatus[] | undefined,
    role: 'init' | 'other',
  ) =>
    (containers ?? []).map((container) => {
      const published = old?.find(({ name }) => name === container.name);
      return computeOne(facts, container, published, role === 'init', initialized);
    });
  return {
    init: compute(spec.initContainers, initContainerStatuses, 'init'),
    regular: compute(spec.containers, containerStatuses, 'other').toSorted(byName),
    ephemeral: compute(spec.ephemeralContainers, ephemeralContainerStatuses, 'other').toSorted(byName),
  };
}

function computeOne(
  facts: ContainerStatusFacts,
  container: Container,
  old: ContainerStatus | undefined,
  init: boolean,
  initialized: boolean,
): ContainerStatus {
  const [newest, earlier] = facts.observed.containers.filter(({ name }) => name === container.name);
  let status =
    newest === undefined
      ? absentStatus(facts, container, old)
      : presentStatus(facts, container, newest, earlier, old);
  if (!(init && succeeded(newest))) status = withStartFailure(facts, container, newest, status);
  const forgotten = init && initialized && newest === undefined && !isSidecar(container);
  if (forgotten && isUnexplained(facts, status)) status = { ...status, state: completedState() };
  const health = facts.resourceHealth?.get(container.name);
  // Also of a container that never started: it has its devices since the pod was admitted.
  if (health !== undefined) status = { ...status, allocatedResourcesStatus: health };
  return withCutMessages(status, messageLimit(facts.pod));
}

function presentStatus(
  facts: ContainerStatusFacts,
  container: Container,
  newest: ObservedContainer,
  earlier: ObservedContainer | undefined,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const { user, stopSignal } = newest.details ?? {};
  return {
    name: container.name,
    state: toState(newest, old, facts),
    lastState: toLastState(newest, earlier, old, facts),
    ready: false,
    restartCount: toRestartCount(newest, old, facts.runtimeName),
    image: newest.image,
    imageID: newest.imageId,
    containerID: toContainerRef(facts.runtimeName, newest.id),
    ...computeStatusResources(container.resources, newest, actuatedOf(facts, container)),
    ...mountFields(facts, container),
    ...(user === undefined ? {} : { user: { linux: toLinuxUser(user) } }),
    ...(facts.reportStopSignal === true && stopSignal !== undefined ? { stopSignal } : {}),
  };
}

function actuatedOf(
  { actuated }: ContainerStatusFacts,
  { name }: Container,
): ResourceRequirements | undefined {
  return actuated !== undefined && Object.hasOwn(actuated.containers, name)
    ? actuated.containers[name]
    : undefined;
}

/** A container the runtime has no instance of. */
function absentStatus(
  facts: ContainerStatusFacts,
  container: Container,
  old: ContainerStatus | undefined,
): ContainerStatus {
  if (old !== undefined && facts.restartingAll && !isWaiting(old.state)) {
    return removedForRestart(facts, container, old);
  }
  if (old?.state.terminated !== undefined) {
    if (startFailure(facts, container, undefined) === undefined) return { ...old, ready: false };
    // It is being restarted: the fields of the instance that is gone are dropped.
    return { ...defaultStatus(facts, container, old), lastState: old.state };
  }
  const status = defaultStatus(facts, container, old);
  if (old?.state.running === undefined || status.lastState.terminated !== undefined) return status;
  const restarts = facts.pod.metadata.deletionTimestamp === undefined ? 1 : 0;
  return {
    ...status,
    lastState: lostState(LOST_REASON, LOST_WHEN_DELETED),
    restartCount: status.restartCount + restarts,
  };
}

function defaultStatus(
  facts: ContainerStatusFacts,
  container: Container,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const hasInit = initContainersOf(facts.pod).length > 0;
  const restarting = old?.state.waiting?.reason === RESTARTING_ALL_REASON;
  const initial = { waiting: { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' } };
  return {
    name: container.name,
    // A restart of the whole pod is shown until the container is there again.
    state: restarting ? old.state : initial,
    lastState: old?.lastState ?? {},
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
    ...mountFields(facts, container),
  };
}

function removedForRestart(
  facts: ContainerStatusFacts,
  container: Container,
  old: ContainerStatus,
): ContainerStatus {
  return {
    ...defaultStatus(facts, container, old),
    state: { waiting: { reason: RESTARTING_ALL_REASON, message: REMOVED_FOR_RESTART } },
    lastState: lostState(RESTARTING_ALL_REASON, REMOVED_FOR_RESTART),
    restartCount: old.restartCount + 1,
  };
}

/** A container whose start failed shows why; its previous end moves to the last state. */
function withStartFailure(
  facts: ContainerStatusFacts,
  container: Container,
  newest: ObservedContainer | undefined,
  status: ContainerStatus,
): ContainerStatus {
  const failure = startFailure(facts, container, newest);
  if (failure === undefined) return status;
  const { reason, message } = failure;
  return {
    ...status,
    state: { waiting: message === '' ? { reason } : { reason, message } },
    lastState: status.state.terminated === undefined ? status.lastState : status.state,
  };
}

/** Why a container that is to be started now is not. */
function startFailure(
  facts: ContainerStatusFacts,
  container: Container,
  newest: ObservedContainer | undefined,
): WaitingReason | undefined {
  return shouldStart(facts.pod, container, newest) ? facts.waitingReasons.get(container.name) : undefined;
}

/** True when the container waits and neither a failed start nor a restart of the whole pod says why. */
function isUnexplained(facts: ContainerStatusFacts, { name, state }: ContainerStatus): boolean {
  const restarting = facts.restartingAll || state.waiting?.reason === RESTARTING_ALL_REASON;
  return isWaiting(state) && !restarting && !facts.waitingReasons.has(name);
}

function completedState(): ContainerState {
  return { terminated: { exitCode: 0, reason: 'Completed', message: TREATED_AS_COMPLETED } };
}

function withCutMessages(status: ContainerStatus, maxBytes: number): ContainerStatus {
  return {
    ...status,
    state: withCutMessage(status.state, maxBytes),
    lastState: withCutMessage(status.lastState, maxBytes),
  };
}

function withCutMessage(state: ContainerState, maxBytes: number): ContainerState {
  const { terminated } = state;
  if (terminated?.message === undefined) return state;
  return { terminated: { ...terminated, message: cutMessage(terminated.message, maxBytes) } };
}

function mountFields(
  facts: ContainerStatusFacts,
  { volumeMounts = [] }: Container,
): Pick<ContainerStatus, 'volumeMounts'> {
  if (volumeMounts.length === 0) return {};
  const mounts = volumeMounts.map(({ name, mountPath, readOnly, recursiveReadOnly }) => {
    if (readOnly !== true) return { name, mountPath };
    const deep =
      recursiveReadOnly === 'Enabled' ||
      (recursiveReadOnly === 'IfPossible' && facts.supportsRecursiveReadOnly === true);
    return { name, mountPath, readOnly, recursiveReadOnly: deep ? 'Enabled' : 'Disabled' };
  });
  return { volumeMounts: mounts };
}

function toLinuxUser({ uid, gid, supplementalGroups }: UserFacts) {
  return supplementalGroups.length === 0 ? { uid, gid } : { uid, gid, supplementalGroups };
}

type UserFacts = NonNullable<NonNullable<ObservedContainer['details']>['user']>;

function hasRegularInstance({ pod, observed }: ContainerStatusFacts): boolean {
  const names = new Set(pod.spec.containers.map(({ name }) => name));
  return observed.containers.some(({ name }) => names.has(name));
}

function succeeded(instance: ObservedContainer | undefined): boolean {
  return instance?.state === 'exited' && exitCodeOf(instance) === 0;
}

function byName(a: ContainerStatus, b: ContainerStatus): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
