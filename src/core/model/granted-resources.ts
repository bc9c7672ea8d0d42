/**
 * What the node has granted a pod: the resources of its containers and of the
 * pod as a whole, which may lag behind what its spec asks for. Everything
 * after admission works with the granted pod, so that a change of the spec has
 * no effect before the node has agreed to it.
 * Quantities in a pod were validated before; malformed text throws.
 */
import type { Container, Pod, ResourceList, ResourceRequirements } from '../api/pod.ts';
import { compareQuantities, parseQuantity } from '../api/quantity.ts';
import { initContainersOf, isSidecar } from './pod-containers.ts';

/** The resources of one pod, either granted or in force. */
export interface GrantedResources {
  /** By name; containers that cannot be resized have no entry. */
  readonly containers: Readonly<Record<string, ResourceRequirements>>;
  /** Those of the pod as a whole, if it has any. */
  readonly pod?: ResourceRequirements;
}

/** Which parts of a pod may be resized. */
export interface ResizeGates {
  /** InPlacePodLevelResourcesVerticalScaling. */
  readonly podLevel: boolean;
  /** InPlacePodVerticalScalingInitContainers; sidecars may always. */
  readonly initContainers: boolean;
}

/** The spec of the pod as an allocation. */
export function toGrantedResources({ spec }: Pod, gates: ResizeGates): GrantedResources {
  const init = initContainersOf({ spec }).filter((one) => gates.initContainers || isSidecar(one));
  const containers = [...init, ...spec.containers].map(({ name, resources = {} }) => [name, resources]);
  return {
    containers: Object.fromEntries(containers) as GrantedResources['containers'],
    ...(gates.podLevel && spec.resources !== undefined && { pod: spec.resources }),
  };
}

/** The pod with what it was granted in place of what it asks for; the same object when that is the same. */
export function withGrantedResources(
  pod: Pod,
  allocation: GrantedResources | undefined,
  gates: ResizeGates,
): Pod {
  if (allocation === undefined) return pod;
  const { spec } = pod;
  const containers = grant(spec.containers, allocation);
  const initContainers = grant(initContainersOf(pod), allocation);
  const samePod = !gates.podLevel || isSameRequirements(spec.resources, allocation.pod);
  if (samePod && containers === spec.containers && initContainers === (spec.initContainers ?? initContainers))
    return pod;
  const { resources, ...rest } = spec;
  const granted = samePod ? resources : allocation.pod;
  return {
    ...pod,
    spec: {
      ...rest,
      containers,
      ...(spec.initContainers === undefined ? {} : { initContainers }),
      ...(granted === undefined ? {} : { resources: granted }),
    },
  };
}

function grant(
  containers: readonly Container[],
  { containers: granted }: GrantedResources,
): readonly Container[] {
  const isGranted = ({ name, resources }: Container): boolean =>
    !Object.hasOwn(granted, name) || isSameRequirements(resources, granted[name]);
  if (containers.every(isGranted)) return containers;
  return containers.map((container) => {
    const resources = granted[container.name];
    return isGranted(container) || resources === undefined ? container : { ...container, resources };
  });
}

/** Whether both are equal in value, regardless of notation; absent equals empty. */
export function isSameRequirements(a: ResourceRequirements = {}, b: ResourceRequirements = {}): boolean {
  if (a === b) return true;
  if (!isSameList(a.limits, b.limits) || !isSameList(a.requests, b.requests)) return false;
  return a.claims === b.claims || renderClaims(a) === renderClaims(b);
}

function renderClaims({ claims = [] }: ResourceRequirements): string {
  return JSON.stringify(claims.map(({ name, request = '' }) => [name, request]));
}

function isSameList(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [left, right] = [a[name], b[name]];
    if (left === undefined || right === undefined) return left === right;
    return left === right || compareQuantities(parseQuantity(left), parseQuantity(right)) === 0;
  });
}
