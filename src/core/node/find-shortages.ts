/**
 * What a pod requests beyond what the node has left. Cpu counts in thousandths,
 * everything else in whole units.
 */
import type { Pod, ResourceList } from '../api/pod.ts';
import { isExtendedResource } from '../node-status/node-resources.ts';
import { bytesOf, computePodRequests, cpuMilli, milliOf, resourceBytes } from '../resources/pod-resources.ts';

export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

/** In the order they are reported: pods, cpu, memory, ephemeral-storage, then the rest by name. */
export function findShortages(pod: Pod, allocatable: ResourceList, others: readonly Pod[]): Shortage[] {
  const asked = [...computePodRequests(pod).keys()]
    // The node does not provide it: only the scheduler knows about it.
    .filter((name) => !isExtendedResource(name) || allocatable[name] !== undefined)
    .sort(compareResources);
  return ['pods', ...asked].flatMap((resource) => {
    const requested = requestOf(pod, resource);
    const used = others.reduce((sum, other) => sum + requestOf(other, resource), 0);
    const capacity = resource === 'cpu' ? cpuMilli(allocatable) : resourceBytes(allocatable, resource);
    return requested > 0 && requested > capacity - used ? [{ resource, requested, used, capacity }] : [];
  });
}

/** By resource. Pods are never changed in place, and each one that comes is weighed against all others. */
const known = new WeakMap<Pod, Map<string, number>>();

/** What a pod takes of one resource; of `pods` it is one. */
export function requestOf(pod: Pod, resource: string): number {
  if (resource === 'pods') return 1;
  const ofPod = known.get(pod) ?? new Map<string, number>();
  known.set(pod, ofPod);
  let request = ofPod.get(resource);
  if (request === undefined) {
    const requests = computePodRequests(pod);
    request = resource === 'cpu' ? milliOf(requests, 'cpu') : bytesOf(requests, resource);
    ofPod.set(resource, request);
  }
  return request;
}

const FIRST: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

function compareResources(a: string, b: string): number {
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}
