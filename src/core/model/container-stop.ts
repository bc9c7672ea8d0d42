/**
 * How one container is stopped: with which grace, which message and
 * after which others. Sidecars end after the main containers, in reverse
 * order of their start.
 */
import type { Container, Pod, Probe } from '../api/pod.ts';
import type { ContainerStop } from './actions.ts';
import type { ObservedContainer } from './observed-pod.ts';
import { initContainersOf, isSidecar, type PodMember, podMembers } from './pod-containers.ts';
import type { Termination } from './termination.ts';

/** Grace of a container whose pod names none. */
const FALLBACK_GRACE_SECONDS = 2;

export interface StopReason {
  readonly message: string;
  /** The failed probe, whose own grace replaces the pod's. */
  readonly probe?: Probe | undefined;
}

/** Stops one container, as for a restart; nothing else has to end before it. */
export function toContainerStop(
  pod: Pod,
  member: PodMember,
  instance: Pick<ObservedContainer, 'id' | 'name'>,
  reason: StopReason,
): ContainerStop {
  return withHook(member.container, {
    id: instance.id,
    name: instance.name,
    role: member.role,
    graceSeconds: graceOf(pod, undefined, reason.probe),
    message: reason.message,
    after: [],
  });
}

/**
 * Stops every given instance of the pod. An instance the spec does not name
 * is stopped without message or hook.
 */
export function toPodStop(
  pod: Pod,
  instances: readonly ObservedContainer[],
  termination: Termination | undefined,
): ContainerStop[] {
  const members = new Map(podMembers(pod).map((member) => [member.container.name, member]));
  const graceSeconds = graceOf(pod, termination, undefined);
  return instances.map((instance): ContainerStop => {
    const member = members.get(instance.name);
    if (member === undefined) {
      return { id: instance.id, name: instance.name, role: 'regular', graceSeconds, after: [] };
    }
    return withHook(member.container, {
      id: instance.id,
      name: instance.name,
      role: member.role,
      graceSeconds,
      message: `Stopping container ${instance.name}`,
      after: member.role === 'sidecar' ? goesBefore(pod, member.container, instances) : [],
    });
  });
}

function withHook(container: Container, stop: ContainerStop): ContainerStop {
  const preStop = container.lifecycle?.preStop;
  return preStop === undefined ? stop : { ...stop, preStop };
}

function graceOf(pod: Pod, termination: Termination | undefined, probe: Probe | undefined): number {
  return (
    termination?.graceSeconds ??
    pod.metadata.deletionGracePeriodSeconds ??
    probe?.terminationGracePeriodSeconds ??
    pod.spec.terminationGracePeriodSeconds ??
    FALLBACK_GRACE_SECONDS
  );
}

/** What must be gone before this sidecar is stopped: main containers and the sidecar started after it. */
function goesBefore(
  pod: Pod,
  sidecar: Container,
  instances: readonly ObservedContainer[],
): ContainerStop['after'] {
  const init = initContainersOf(pod);
  const laterSidecars = init.slice(init.indexOf(sidecar) + 1).filter(isSidecar);
  const names = new Set([...pod.spec.containers, ...laterSidecars].map((container) => container.name));
  return instances.filter((instance) => names.has(instance.name)).map((instance) => instance.id);
}
