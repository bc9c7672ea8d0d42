/**
 * The phase of a pod, from its container statuses. Containers of the spec are
 * sorted into counters, then the first matching row decides. Ephemeral
 * containers never count. What was published before is not used here:
 * compute-pod-status.ts ensures that a terminal phase is never left.
 */
import type { Container, Pod } from '../api/pod.ts';
import { isStatic } from '../api/pod-identity.ts';
import type { ContainerStateTerminated, ContainerStatus, PodPhase } from '../api/pod-status.ts';
import type { ObservedPod } from '../model/observed-pod.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { restartsAfterExit } from '../model/restart.ts';
import { RESTARTING_ALL_REASON } from '../pod/restart-all.ts';
import type { ContainerStatuses } from './container-statuses.ts';

export interface PhaseFacts {
  readonly pod: Pod;
  readonly statuses: Pick<ContainerStatuses, 'init' | 'regular'>;
  /** A regular container has an instance in the newest sandbox and that sandbox is ready. */
  readonly hasActiveRegular: boolean;
  /** Everything of the pod has stopped permanently. */
  readonly ended: boolean;
}

interface Counters {
  pendingInit: number;
  pendingSidecar: number;
  waitingSidecar: number;
  failedInitFinal: number;
  unknown: number;
  waiting: number;
  running: number;
  stopped: number;
  succeeded: number;
  final: number;
}

export function computePhase(facts: PhaseFacts): PodPhase {
  const { pod, hasActiveRegular, ended } = facts;
  const count = countContainers(facts);
  if (count.failedInitFinal > 0) return 'Failed';
  // What a sidecar waits for does not matter once all main containers are done.
  const isServed = count.final < pod.spec.containers.length;
  if (count.pendingInit > 0 || (isServed && count.pendingSidecar > 0 && !hasActiveRegular)) return 'Pending';
  if (count.waiting > 0 || (isServed && count.waitingSidecar > 0)) return 'Pending';
  if (count.running > 0 && count.unknown === 0) return 'Running';
  if (count.running === 0 && count.stopped > 0 && count.unknown === 0) {
    const stays = (ended && !isStatic(pod)) || count.stopped === count.final;
    if (!stays) return 'Running';
    return count.stopped === count.succeeded ? 'Succeeded' : 'Failed';
  }
  return 'Pending';
}

/** True when a regular container has an instance in the newest sandbox, and that sandbox is ready. */
export function hasActiveRegular(pod: Pod, observed: ObservedPod): boolean {
  const newest = observed.sandboxes[0];
  if (newest?.ready !== true) return false;
  const names = new Set(pod.spec.containers.map(({ name }) => name));
  return observed.containers.some(({ name, sandboxId }) => sandboxId === newest.id && names.has(name));
}

/** True for the phases a pod never leaves. */
export function isTerminalPhase(phase: PodPhase | undefined): phase is 'Succeeded' | 'Failed' {
  return phase === 'Succeeded' || phase === 'Failed';
}

function countContainers({ pod, statuses }: PhaseFacts): Counters {
  const count: Counters = {
    pendingInit: 0,
    pendingSidecar: 0,
    waitingSidecar: 0,
    failedInitFinal: 0,
    unknown: 0,
    waiting: 0,
    running: 0,
    stopped: 0,
    succeeded: 0,
    final: 0,
  };
  for (const container of initContainersOf(pod)) {
    const status = statuses.init.find(({ name }) => name === container.name);
    if (isSidecar(container)) countSidecar(count, status);
    else countInit(count, pod, container, status);
  }
  for (const container of pod.spec.containers) {
    const status = statuses.regular.find(({ name }) => name === container.name);
    countRegular(count, pod, container, status);
  }
  return count;
}

function countInit(
  count: Counters,
  pod: Pod,
  container: Container,
  status: ContainerStatus | undefined,
): void {
  const ended = status === undefined ? undefined : endOf(status);
  if (ended === undefined) count.pendingInit += 1;
  else if (ended.exitCode !== 0 && isFinal(pod, container, ended)) count.failedInitFinal += 1;
}

function countSidecar(count: Counters, status: ContainerStatus | undefined): void {
  if (status === undefined) {
    count.unknown += 1;
  } else if (status.state.running !== undefined) {
    count.running += 1;
    if (status.started !== true) count.pendingSidecar += 1;
  } else if (endOf(status) === undefined) {
    count.waitingSidecar += 1;
    count.pendingSidecar += 1;
  }
}

function countRegular(
  count: Counters,
  pod: Pod,
  container: Container,
  status: ContainerStatus | undefined,
): void {
  if (status === undefined) {
    count.unknown += 1;
  } else if (status.state.running !== undefined) {
    count.running += 1;
  } else {
    const ended = endOf(status);
    if (ended === undefined) {
      count.waiting += 1;
      return;
    }
    count.stopped += 1;
    // Only an end that is shown as the state itself is a success; a waiting container is to run again.
    if (status.state.terminated?.exitCode === 0) count.succeeded += 1;
    if (isFinal(pod, container, ended)) count.final += 1;
  }
}

/** How a container that does not run ended: shown as its state, or as the last one while it waits. */
function endOf({ state, lastState }: ContainerStatus): ContainerStateTerminated | undefined {
  if (state.running !== undefined) return undefined;
  return state.terminated ?? lastState.terminated;
}

function isFinal(pod: Pod, container: Container, ended: ContainerStateTerminated): boolean {
  return ended.reason !== RESTARTING_ALL_REASON && !restartsAfterExit(pod, container, ended.exitCode);
}
