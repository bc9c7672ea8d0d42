/**
 * The quality-of-service class of a pod: decides its place in the cgroup
 * tree, its OOM scores and its rank under pressure.
 */
import type { Pod, ResourceRequirements } from '../api/pod.ts';
import type { PodQosClass } from '../api/pod-status.ts';
import { parseQuantity } from '../api/quantity.ts';
import { containersOf } from '../model/pod-containers.ts';

const COUNTED = ['cpu', 'memory'] as const;

/** The class the status already states, which never changes; else the computed one. */
export function computeQosClass(pod: Pod, podLevelResources = true): PodQosClass {
  return pod.status?.qosClass ?? computeQosFromSpec(pod, podLevelResources);
}

/**
 * The class that follows from the spec. Only cpu and memory above zero count.
 * With `spec.resources` (and its gate on) nothing else is looked at;
 * otherwise all main and init containers are. Ephemeral containers never are.
 */
function computeQosFromSpec(pod: Pod, podLevelResources = true): PodQosClass {
  const podLevel = podLevelResources ? pod.spec.resources : undefined;
  const considered =
    podLevel === undefined ? containersOf(pod).map((container) => container.resources) : [podLevel];
  if (considered.every((resources) => resources?.requests === undefined && resources?.limits === undefined))
    return 'BestEffort';
  const requests = sum(considered, 'requests');
  const limits = sum(considered, 'limits');
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const fullyLimited = considered.every((resources) => sum([resources], 'limits').size === COUNTED.length);
  const matching =
    requests.size === limits.size && [...requests].every(([name, amount]) => limits.get(name) === amount);
  return fullyLimited && matching ? 'Guaranteed' : 'Burstable';
}

function sum(
  considered: readonly (ResourceRequirements | undefined)[],
  kind: 'requests' | 'limits',
): Map<string, bigint> {
  const total = new Map<string, bigint>();
  for (const resources of considered) {
    for (const name of COUNTED) {
      const text = resources?.[kind]?.[name];
      const nanos = text === undefined ? 0n : parseQuantity(text).nanos;
      if (nanos > 0n) total.set(name, (total.get(name) ?? 0n) + nanos);
    }
  }
  return total;
}
