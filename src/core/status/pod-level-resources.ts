/**
 * What the status says about the resources of the pod as a whole: what it was
 * granted, and what of it is in force. Limits are those of the pod's cgroup,
 * so a pod with a container without limit shows none.
 */
import type { Pod, ResourceList, ResourceRequirements } from '../api/pod.ts';
import type { PodPhase, PodStatus } from '../api/pod-status.ts';
import { formatQuantity, milliQuantity, wholeQuantity } from '../api/quantity.ts';
import { type GrantedResources, type ResizeGates, withGrantedResources } from '../model/granted-resources.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { quotaToMilli, sharesToMilli } from '../resources/cpu-units.ts';
import { toPodCgroupLimits } from '../resources/pod-cgroup-limits.ts';
import {
  computePodLimits,
  computePodRequests,
  cpuMilli,
  type ResourceAmounts,
} from '../resources/pod-resources.ts';

/** At or below these a cgroup does not distinguish values. */
const MIN_REQUEST_MILLI = 2;
const MIN_LIMIT_MILLI = 10;

export type PodLevelStatus = Pick<PodStatus, 'resources' | 'allocatedResources'>;

/** `pod` has what it was granted, `actuated` what is in force as far as it is known. */
export function computePodLevelStatus(
  pod: Pod,
  actuated: GrantedResources | undefined,
  phase: PodPhase | undefined,
  gates: ResizeGates,
  node: NodeProfile,
): PodLevelStatus {
  if (!gates.podLevel) return {};
  const options = { podLevelResources: node.features('PodLevelResources') };
  const allocatedResources = toList(computePodRequests(pod, options));
  const resources =
    phase === 'Running'
      ? inForce(withGrantedResources(pod, actuated, gates), pod, node)
      : toRequirements(allocatedResources, toList(computePodLimits(pod, options)));
  return { ...(isEmpty(allocatedResources) ? {} : { allocatedResources }), resources };
}

function inForce(actual: Pod, granted: Pod, node: NodeProfile): ResourceRequirements {
  const { cpuShares, cpuQuotaUs = 0, cpuPeriodUs = 0, memoryLimitBytes } = toPodCgroupLimits(actual, node);
  const options = { podLevelResources: node.features('PodLevelResources') };
  const { memory } = toList(computePodRequests(actual, options));
  const { requests = {}, limits = {} } = granted.spec.resources ?? {};
  const request = sharesToMilli(cpuShares);
  const limit = cpuQuotaUs > 0 ? quotaToMilli(cpuQuotaUs, cpuPeriodUs) : 0;
  const milli = (amount: number): string => formatQuantity(milliQuantity(amount));
  return toRequirements(
    {
      ...requests,
      ...(Math.max(request, cpuMilli(requests)) > MIN_REQUEST_MILLI && { cpu: milli(request) }),
      ...(memory !== undefined && { memory }),
    },
    {
      ...limits,
      ...(limit > 0 && Math.max(limit, cpuMilli(limits)) > MIN_LIMIT_MILLI && { cpu: milli(limit) }),
      ...(memoryLimitBytes !== undefined && {
        memory: formatQuantity(wholeQuantity(memoryLimitBytes, 'BinarySI')),
      }),
    },
  );
}

function toRequirements(requests: ResourceList, limits: ResourceList): ResourceRequirements {
  return { ...(isEmpty(limits) ? {} : { limits }), ...(isEmpty(requests) ? {} : { requests }) };
}

function toList(amounts: ResourceAmounts): ResourceList {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

function isEmpty(list: ResourceList): boolean {
  return Object.keys(list).length === 0;
}
