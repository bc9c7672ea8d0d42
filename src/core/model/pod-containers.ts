/**
 * The containers of a pod, in the order in which they start: init containers
 * and sidecars, the main ones, then those that were added for debugging.
 */
import type { Container, EphemeralContainer, PodSpec } from '../api/pod.ts';
import type { ContainerRole } from './actions.ts';

type HasContainers = {
  readonly spec: Pick<PodSpec, 'containers' | 'initContainers' | 'ephemeralContainers'>;
};

/** A container of the spec and the part it plays. */
export interface PodMember {
  readonly container: Container;
  readonly role: ContainerRole;
}

/** A restartable init container: started in order, then kept running beside the main ones. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

/** Those that run before the main ones, sidecars among them. */
export function initContainersOf({ spec }: HasContainers): readonly Container[] {
  return spec.initContainers ?? [];
}

export function sidecarsOf(pod: HasContainers): Container[] {
  return initContainersOf(pod).filter(isSidecar);
}

export function ephemeralContainersOf({ spec }: HasContainers): readonly EphemeralContainer[] {
  return spec.ephemeralContainers ?? [];
}

/** Those the pod was made with. */
export function containersOf(pod: HasContainers): Container[] {
  return [...initContainersOf(pod), ...pod.spec.containers];
}

/** Those the pod was made with and the ephemeral ones. */
export function allContainersOf(pod: HasContainers): Container[] {
  return [...containersOf(pod), ...ephemeralContainersOf(pod)];
}

export function podMembers(pod: HasContainers): PodMember[] {
  const members: PodMember[] = [];
  for (const container of initContainersOf(pod))
    members.push({ container, role: isSidecar(container) ? 'sidecar' : 'init' });
  for (const container of pod.spec.containers) members.push({ container, role: 'regular' });
  for (const container of ephemeralContainersOf(pod)) members.push({ container, role: 'ephemeral' });
  return members;
}
