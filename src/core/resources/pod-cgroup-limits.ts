/**
 * Limits of the cgroup that holds a whole pod. The agent writes these itself;
 * those of the containers inside are the runtime's.
 */
import type { Pod } from '../api/pod.ts';
import { parseQuantity, quantityToBytes } from '../api/quantity.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { containersOf } from '../model/pod-containers.ts';
import { milliToQuota, milliToShares } from './cpu-units.ts';
import { formatPageSize, HUGEPAGES_PREFIX, isHugePages } from './hugepages.ts';
import {
  bytesOf,
  computePodLimits,
  computePodRequests,
  cpuMilli,
  milliOf,
  resourceBytes,
} from './pod-resources.ts';
import { computeQosClass } from './qos.ts';

/** Absent means not set. */
export interface PodCgroupLimits {
  readonly cpuShares: number;
  /** Microseconds per period; −1 lifts the limit. */
  readonly cpuQuotaUs?: number;
  readonly cpuPeriodUs?: number;
  readonly memoryLimitBytes?: number;
  /** Every page size of the node; those the pod did not ask for are 0. */
  readonly hugepageLimits: readonly { readonly pageSize: string; readonly limitBytes: number }[];
  readonly pidsLimit?: number;
  readonly memoryMinBytes?: number;
  readonly memoryLowBytes?: number;
}

/** The limits that follow from the pod's class; a Burstable pod is bound only where all of it is. */
export function toPodCgroupLimits(pod: Pod, node: NodeProfile, exclusiveCpus = false): PodCgroupLimits {
  const podLevel = node.features('PodLevelResources');
  const qos = computeQosClass(pod, podLevel);
  const requests = computePodRequests(pod, { podLevelResources: podLevel });
  const limits = computePodLimits(pod, { podLevelResources: podLevel });
  const bounded = (name: 'cpu' | 'memory') =>
    qos === 'Guaranteed' || (qos === 'Burstable' && isBounded(pod, name, podLevel));
  const memory = bytesOf(limits, 'memory');
  return {
    cpuShares: milliToShares(qos === 'BestEffort' ? 0 : milliOf(requests, 'cpu')),
    ...(bounded('cpu') && toCpuBound(milliOf(limits, 'cpu'), node, exclusiveCpus)),
    ...(bounded('memory') && memory > 0 && { memoryLimitBytes: memory }),
    hugepageLimits: toHugepages(requests, node),
    ...(node.podPidsLimit > 0 && { pidsLimit: node.podPidsLimit }),
    ...toReservation(qos, bytesOf(requests, 'memory'), node),
  };
}

function toCpuBound(
  limitMilli: number,
  node: NodeProfile,
  exclusiveCpus: boolean,
): Pick<PodCgroupLimits, 'cpuQuotaUs' | 'cpuPeriodUs'> {
  const free = !node.cpuCfsQuota || (exclusiveCpus && node.features('DisableCPUQuotaWithExclusiveCPUs'));
  return {
    cpuQuotaUs: free ? -1 : milliToQuota(limitMilli, node.cpuCfsPeriodUs),
    cpuPeriodUs: node.cpuCfsPeriodUs,
  };
}

/** True when every container, or the pod as a whole, has a limit of `name`. */
function isBounded(pod: Pod, name: 'cpu' | 'memory', podLevel: boolean): boolean {
  const amount =
    name === 'cpu' ? cpuMilli : (list: Parameters<typeof cpuMilli>[0]) => resourceBytes(list, name);
  if (podLevel && amount(pod.spec.resources?.limits) > 0) return true;
  return containersOf(pod).every(({ resources }) => amount(resources?.limits) > 0);
}

function toHugepages(
  requests: ReturnType<typeof computePodRequests>,
  node: NodeProfile,
): PodCgroupLimits['hugepageLimits'] {
  const limits = new Map(node.hugepageSizesBytes.map((size) => [formatPageSize(size), 0]));
  for (const name of requests.keys()) {
    if (!isHugePages(name)) continue;
    const size = quantityToBytes(parseQuantity(name.slice(HUGEPAGES_PREFIX.length)));
    limits.set(formatPageSize(size), bytesOf(requests, name));
  }
  return [...limits].map(([pageSize, limitBytes]) => ({ pageSize, limitBytes }));
}

function toReservation(
  qos: ReturnType<typeof computeQosClass>,
  request: number,
  node: NodeProfile,
): Pick<PodCgroupLimits, 'memoryMinBytes' | 'memoryLowBytes'> {
  if (!node.features('MemoryQoS') || node.cgroupVersion !== 2) return {};
  if (node.memoryReservationPolicy !== 'TieredReservation' || request === 0) return {};
  if (qos === 'Guaranteed') return { memoryMinBytes: request };
  return qos === 'Burstable' ? { memoryLowBytes: request } : {};
}
