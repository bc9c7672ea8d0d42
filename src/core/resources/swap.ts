/**
 * How much swap a container may use. None by default; with LimitedSwap a
 * burstable container gets a share of the node's swap in proportion to its
 * memory request.
 */
import type { Container, Pod } from '../api/pod.ts';
import { isCritical } from '../api/pod-identity.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { LinuxResources } from '../model/observed-pod.ts';
import { resourceBytes } from './pod-resources.ts';
import { computeQosClass } from './qos.ts';

export type SwapNode = Pick<NodeProfile, 'swap' | 'cgroupVersion' | 'memoryCapacityBytes' | 'features'>;

/** The swap part of a container's resources; empty when the kernel cannot limit swap. */
export function toSwapLimit(
  pod: Pod,
  container: Container,
  node: SwapNode,
  memoryLimitBytes: number | undefined,
): Pick<LinuxResources, 'unified' | 'memorySwapLimitBytes'> {
  if (!node.swap.controllerAvailable) return {};
  if (node.cgroupVersion === 1) {
    // Version 1 limits memory and swap together, so the memory limit leaves no room for swap.
    return memoryLimitBytes === undefined ? {} : { memorySwapLimitBytes: memoryLimitBytes };
  }
  const bytes = mayUseSwap(pod, container, node) ? swapShare(container, node) : 0;
  return { unified: { 'memory.swap.max': String(bytes) } };
}

/** Whether the container gets a share of the swap of the node. */
export function mayUseSwap(pod: Pod, container: Container, node: SwapNode): boolean {
  if (node.swap.behavior !== 'LimitedSwap' || isCritical(pod)) return false;
  if (computeQosClass(pod, node.features('PodLevelResources')) !== 'Burstable') return false;
  const request = resourceBytes(container.resources?.requests, 'memory');
  const limit = resourceBytes(container.resources?.limits, 'memory');
  return request !== limit;
}

function swapShare(container: Container, node: SwapNode): number {
  if (node.memoryCapacityBytes <= 0) return 0;
  const request = resourceBytes(container.resources?.requests, 'memory');
  return Math.floor((request / node.memoryCapacityBytes) * node.swap.capacityBytes);
}
