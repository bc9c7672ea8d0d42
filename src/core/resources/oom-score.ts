/**
 * How eager the kernel is to kill a container's processes when memory runs
 * out. Pods that asked for much of the machine are killed last among the
 * burstable ones.
 */
import type { Container, Pod } from '../api/pod.ts';
import { isCritical } from '../api/pod-identity.ts';
import { containersOf, initContainersOf } from '../model/pod-containers.ts';
import { bytesOf, computeContainerRequests, resourceBytes } from './pod-resources.ts';
import { computeQosClass } from './qos.ts';

const GUARANTEED = -997;
const BEST_EFFORT = 1000;
const BURSTABLE_LOWEST = 3;
const BURSTABLE_HIGHEST = 999;

/**
 * The `oom_score_adj` of one container of the pod.
 * `podLevelResources` is the state of the gate of that name.
 */
export function computeOomScore(
  pod: Pod,
  container: Container,
  memoryCapacityBytes: number,
  podLevelResources = true,
): number {
  if (isCritical(pod) && pod.spec.priorityClassName === 'system-node-critical') return GUARANTEED;
  switch (computeQosClass(pod, podLevelResources)) {
    case 'Guaranteed':
      return GUARANTEED;
    case 'BestEffort':
      return BEST_EFFORT;
    case 'Burstable':
      return burstableScore(pod, container, memoryCapacityBytes, podLevelResources);
  }
}

function burstableScore(pod: Pod, container: Container, capacity: number, podLevel: boolean): number {
  const share = podLevel ? unclaimedShare(pod) : 0;
  const scoreFor = (request: number) => 1000 - Math.trunc((1000 * (request + share)) / capacity);
  let score = scoreFor(resourceBytes(container.resources?.requests, 'memory'));
  if (isSidecarOf(pod, container)) {
    // A sidecar must not be killed before the main container that needs it.
    const smallest = pod.spec.containers.map((main) => resourceBytes(main.resources?.requests, 'memory'));
    score = Math.min(score, scoreFor(Math.min(...smallest)));
  }
  return Math.min(Math.max(score, BURSTABLE_LOWEST), BURSTABLE_HIGHEST);
}

/** What the pod asks for beyond its containers, divided equally among them. */
function unclaimedShare(pod: Pod): number {
  const { resources } = pod.spec;
  if (resources?.requests?.['memory'] === undefined) return 0;
  const claimed = bytesOf(computeContainerRequests(pod), 'memory');
  const unclaimed = resourceBytes(resources.requests, 'memory') - claimed;
  return Math.trunc(unclaimed / containersOf(pod).length);
}

function isSidecarOf(pod: Pod, container: Container): boolean {
  return (
    container.restartPolicy === 'Always' && initContainersOf(pod).some((init) => init.name === container.name)
  );
}
