/**
 * Kernel limits passed to the runtime: the base that sandboxes, overhead and
 * containers share, and what is added for a container (OOM score, huge pages,
 * swap, memory protection).
 */
import type { Container, Pod, ResourceList } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { LinuxResources } from '../model/observed-pod.ts';
import { milliToQuota, milliToShares } from './cpu-units.ts';
import { toHugepageLimits } from './hugepages.ts';
import { toMemoryProtection } from './memory-protection.ts';
import { computeOomScore } from './oom-score.ts';
import {
  bytesOf,
  computePodLimits,
  computePodRequests,
  cpuMilli,
  milliOf,
  resourceBytes,
} from './pod-resources.ts';
import { toSwapLimit } from './swap.ts';

/** What the resource managers assigned to a container; all absent when none is active. */
export interface PinnedResources {
  readonly exclusiveCpus?: boolean;
  /** List format, such as `0-3,8`. */
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
}

interface BaseInput {
  /** Undefined when there is no request at all: then the limit stands in for it. */
  readonly cpuRequestMilli: number | undefined;
  readonly cpuLimitMilli: number;
  readonly memoryLimitBytes: number;
  readonly unlimitedCpu: boolean;
}

/** Settings of one container. */
export function toContainerResources(
  pod: Pod,
  container: Container,
  node: NodeProfile,
  pinned: PinnedResources = {},
): LinuxResources {
  const podLevel = node.features('PodLevelResources');
  const requests = container.resources?.requests;
  const limits = effectiveLimits(pod, container, podLevel);
  const base = toBaseResources(
    {
      cpuRequestMilli: requests?.['cpu'] === undefined ? undefined : cpuMilli(requests),
      cpuLimitMilli: cpuMilli(limits),
      memoryLimitBytes: resourceBytes(limits, 'memory'),
      unlimitedCpu: ignoresQuota(node, pinned.exclusiveCpus),
    },
    node,
  );
  const swap = toSwapLimit(pod, container, node, base.memoryLimitBytes);
  const unified = { ...base.unified, ...swap.unified, ...toMemoryProtection(pod, container, node) };
  return {
    ...base,
    ...(swap.memorySwapLimitBytes !== undefined && { memorySwapLimitBytes: swap.memorySwapLimitBytes }),
    oomScoreAdj: computeOomScore(pod, container, node.memoryCapacityBytes, podLevel),
    hugepageLimits: toHugepageLimits(pod, container, node),
    ...(pinned.cpusetCpus && { cpusetCpus: pinned.cpusetCpus }),
    ...(pinned.cpusetMems && { cpusetMems: pinned.cpusetMems }),
    ...(Object.keys(unified).length > 0 && { unified }),
  };
}

/** Settings of the pod as a whole, without its overhead. */
export function toSandboxResources(pod: Pod, node: NodeProfile, exclusiveCpus = false): LinuxResources {
  const options = { excludeOverhead: true, podLevelResources: node.features('PodLevelResources') };
  const requests = computePodRequests(pod, options);
  const limits = computePodLimits(pod, options);
  return toBaseResources(
    {
      cpuRequestMilli: requests.has('cpu') ? milliOf(requests, 'cpu') : undefined,
      cpuLimitMilli: milliOf(limits, 'cpu'),
      memoryLimitBytes: bytesOf(limits, 'memory'),
      unlimitedCpu: ignoresQuota(node, exclusiveCpus),
    },
    node,
  );
}

/** What the sandbox itself costs; empty when the pod states no overhead. */
export function toOverheadResources(pod: Pod, node: NodeProfile): LinuxResources {
  const { overhead } = pod.spec;
  if (overhead === undefined) return {};
  const milli = cpuMilli(overhead);
  return toBaseResources(
    {
      cpuRequestMilli: milli,
      cpuLimitMilli: milli,
      memoryLimitBytes: resourceBytes(overhead, 'memory'),
      unlimitedCpu: false,
    },
    node,
  );
}

function toBaseResources(input: BaseInput, node: NodeProfile): LinuxResources {
  const { cpuLimitMilli, memoryLimitBytes, unlimitedCpu } = input;
  return {
    cpuShares: milliToShares(input.cpuRequestMilli ?? cpuLimitMilli),
    ...(memoryLimitBytes !== 0 && { memoryLimitBytes }),
    ...(node.cpuCfsQuota && {
      cpuPeriod: node.cpuCfsPeriodUs,
      cpuQuota: unlimitedCpu ? -1 : milliToQuota(cpuLimitMilli, node.cpuCfsPeriodUs),
    }),
    ...(node.cgroupVersion === 2 && !node.singleProcessOomKill && { unified: { 'memory.oom.group': '1' } }),
  };
}

/** A container's limits, with the pod's cpu and memory limits where it has none of its own. */
function effectiveLimits(pod: Pod, container: Container, podLevel: boolean): ResourceList {
  const own = container.resources?.limits ?? {};
  const outer = podLevel ? pod.spec.resources?.limits : undefined;
  if (outer === undefined) return own;
  return {
    ...own,
    ...(cpuMilli(own) === 0 && outer['cpu'] !== undefined && { cpu: outer['cpu'] }),
    ...(resourceBytes(own, 'memory') === 0 && outer['memory'] !== undefined && { memory: outer['memory'] }),
  };
}

function ignoresQuota(node: NodeProfile, exclusiveCpus: boolean | undefined): boolean {
  return exclusiveCpus === true && node.features('DisableCPUQuotaWithExclusiveCPUs');
}
