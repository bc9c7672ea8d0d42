/**
 * Whether what runs has the resources it was granted, and what it takes to
 * get there: nothing, a change in place, or a restart where the container's
 * resize policy asks for one. Static pods are never resized; a change of
 * theirs makes a new pod.
 */
import type { Pod, ResourceList, ResourceRequirements } from '../api/pod.ts';
import { isStatic } from '../api/pod-identity.ts';
import { formatQuantity, milliQuantity, wholeQuantity } from '../api/quantity.ts';
import type { ContainerResize } from '../model/actions.ts';
import type { GrantedResources, ResizeGates } from '../model/granted-resources.ts';
import { newestInstance, type ObservedContainer, type ObservedPod } from '../model/observed-pod.ts';
import { type PodMember, podMembers } from '../model/pod-containers.ts';
import { quotaToMilli, sharesToMilli } from '../resources/cpu-units.ts';
import { cpuMilli, resourceBytes } from '../resources/pod-resources.ts';
import { type ResourceAmount, toAmount } from '../resources/resource-amount.ts';

/** What a decision about resizing looks at; the pod is the granted one. */
export interface ResizeFacts {
  /** What was last put in force; undefined when no record was kept of this pod. */
  readonly actuated: GrantedResources | undefined;
  readonly gates: ResizeGates;
}

export type ResizeNeed =
  | { readonly kind: 'none' }
  /** The resize policy asks for a restart. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'update'; readonly resize: ContainerResize };

const NONE: ResizeNeed = { kind: 'none' };

/** What a running container needs. */
export function decideContainerResize(
  pod: Pod,
  member: PodMember,
  running: ObservedContainer,
  facts: ResizeFacts | undefined,
): ResizeNeed {
  if (facts === undefined || !mayResize(pod, member, facts)) return NONE;
  const to = effectiveResources(member.container.resources, pod.spec.resources, facts.gates);
  const known = readActuated(member.container.name, facts);
  const from = known ?? guessActuated(to, running);
  const changed = changedResources(toAmount(from), toAmount(to));
  if (changed.length === 0) return NONE;
  // Without a record it is unknown whether the container lacks something: it is not restarted on a guess.
  const restarts = known !== undefined && changed.some((name) => needsRestart(member, name));
  if (restarts) return { kind: 'restart' };
  const { container, role } = member;
  return { kind: 'update', resize: { id: running.id, container, role, from, to } };
}

/** Whether a container that is started now gets something else than it had, so that the pod's cgroup has to follow. */
export function startsResized(pod: Pod, member: PodMember, facts: ResizeFacts): boolean {
  const from = readActuated(member.container.name, facts);
  if (from === undefined || !mayResize(pod, member, facts)) return false;
  const to = effectiveResources(member.container.resources, pod.spec.resources, facts.gates);
  return changedResources(toAmount(from), toAmount(to)).length > 0;
}

/** Whether the resources of the pod as a whole differ from those in force. */
export function isPodLevelChanged(pod: Pod, { actuated, gates }: ResizeFacts): boolean {
  if (!gates.podLevel || actuated === undefined || isStatic(pod)) return false;
  return changedResources(toAmount(actuated.pod), toAmount(pod.spec.resources)).length > 0;
}

/** True while something that runs has not got what it was granted. */
export function isResizeInProgress(pod: Pod, observed: ObservedPod, facts: ResizeFacts): boolean {
  if (isPodLevelChanged(pod, facts)) return true;
  return podMembers(pod).some((member) => {
    const newest = newestInstance(observed, member.container.name);
    return newest?.state === 'running' && decideContainerResize(pod, member, newest, facts).kind !== 'none';
  });
}

/** A container's own resources with the pod's limits where it has none. */
export function effectiveResources(
  own: ResourceRequirements = {},
  ofPod: ResourceRequirements | undefined,
  gates: ResizeGates,
): ResourceRequirements {
  const outer = gates.podLevel ? ofPod?.limits : undefined;
  if (outer === undefined) return own;
  const added: ResourceList = {
    ...(cpuMilli(own.limits) === 0 && outer['cpu'] !== undefined && { cpu: outer['cpu'] }),
    ...(resourceBytes(own.limits, 'memory') === 0 &&
      outer['memory'] !== undefined && { memory: outer['memory'] }),
  };
  return Object.keys(added).length === 0 ? own : { ...own, limits: { ...own.limits, ...added } };
}

function mayResize(pod: Pod, { role }: PodMember, { gates }: ResizeFacts): boolean {
  if (isStatic(pod) || role === 'ephemeral') return false;
  return role !== 'init' || gates.initContainers;
}

function readActuated(name: string, { actuated, gates }: ResizeFacts): ResourceRequirements | undefined {
  const containers = actuated?.containers;
  if (containers === undefined || !Object.hasOwn(containers, name)) return undefined;
  return effectiveResources(containers[name], actuated?.pod, gates);
}

function changedResources(from: ResourceAmount, to: ResourceAmount): ('cpu' | 'memory')[] {
  const memory = from.memoryLimit !== to.memoryLimit || from.memoryRequest !== to.memoryRequest;
  const cpu = from.cpuLimit !== to.cpuLimit || from.cpuRequest !== to.cpuRequest;
  return [...(memory ? ['memory' as const] : []), ...(cpu ? ['cpu' as const] : [])];
}

function needsRestart({ container }: PodMember, name: 'cpu' | 'memory'): boolean {
  const policy = container.resizePolicy?.find(({ resourceName }) => resourceName === name);
  return policy?.restartPolicy === 'RestartContainer';
}

/** Below these a cgroup does not distinguish values. */
const MIN_REQUEST_MILLI = 2;
const MIN_LIMIT_MILLI = 10;

/** The resources the runtime reports for a container; what it does not report counts as granted. */
function guessActuated(to: ResourceRequirements, { details }: ObservedContainer): ResourceRequirements {
  const { cpuShares = 0, cpuQuota = 0, cpuPeriod = 0, memoryLimitBytes = 0 } = details?.resources ?? {};
  const wanted = toAmount(to);
  const request = sharesToMilli(cpuShares);
  const limit = cpuQuota > 0 ? quotaToMilli(cpuQuota, cpuPeriod) : 0;
  const differs = (actual: number, granted: number, indistinct: number): boolean =>
    actual > 0 && granted > 0 && Math.max(actual, granted) > indistinct && actual !== granted;
  return {
    ...to,
    limits: {
      ...to.limits,
      ...(differs(limit, wanted.cpuLimit, MIN_LIMIT_MILLI) && { cpu: formatQuantity(milliQuantity(limit)) }),
      ...(differs(memoryLimitBytes, wanted.memoryLimit, 0) && {
        memory: formatQuantity(wholeQuantity(memoryLimitBytes, 'BinarySI')),
      }),
    },
    requests: {
      ...to.requests,
      ...(differs(request, wanted.cpuRequest, MIN_REQUEST_MILLI) && {
        cpu: formatQuantity(milliQuantity(request)),
      }),
    },
  };
}
