/**
 * Memory protection and throttling of a container (gate MemoryQoS, cgroup
 * v2): what the kernel keeps for it and from where on it slows it down.
 */
import type { StringMap } from '../api/meta.ts';
import type { Container, Pod } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { resourceBytes } from './pod-resources.ts';
import { computeQosClass } from './qos.ts';

type MemoryNode = Pick<
  NodeProfile,
  | 'features'
  | 'cgroupVersion'
  | 'memoryReservationPolicy'
  | 'memoryThrottlingFactor'
  | 'pageSizeBytes'
  | 'allocatable'
>;

/** The `memory.*` settings; empty while the gate is off. */
export function toMemoryProtection(pod: Pod, container: Container, node: MemoryNode): StringMap {
  if (!node.features('MemoryQoS') || node.cgroupVersion !== 2) return {};
  return { ...reservation(pod, container, node), ...throttling(container, node) };
}

function reservation(pod: Pod, container: Container, node: MemoryNode): StringMap {
  const request = resourceBytes(container.resources?.requests, 'memory');
  if (node.memoryReservationPolicy !== 'TieredReservation' || request === 0) {
    return { 'memory.min': '0', 'memory.low': '0' };
  }
  const guaranteed = computeQosClass(pod, node.features('PodLevelResources')) === 'Guaranteed';
  return { [guaranteed ? 'memory.min' : 'memory.low']: String(request) };
}

function throttling(container: Container, node: MemoryNode): StringMap {
  const request = resourceBytes(container.resources?.requests, 'memory');
  const limit = resourceBytes(container.resources?.limits, 'memory');
  if (request === limit) return {};
  const ceiling = limit === 0 ? resourceBytes(node.allocatable, 'memory') : limit;
  const page = node.pageSizeBytes;
  const high = Math.floor((request + (ceiling - request) * node.memoryThrottlingFactor) / page) * page;
  return high > request ? { 'memory.high': String(high) } : {};
}
