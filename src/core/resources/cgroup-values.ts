/**
 * What the agent writes into its own cgroups, independent of the cgroup
 * version: the cgroup of all pods, the two QoS tiers below it, and cgroups
 * kept for the system. Those of single pods come from spec/pod-cgroup-limits.
 * Quantities in a configuration or pod were validated before; malformed text throws.
 */
import type { Pod, ResourceList } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { milliToShares } from './cpu-units.ts';
import { formatPageSize } from './hugepages.ts';
import { bytesOf, computePodRequests, cpuMilli, milliOf, resourceBytes } from './pod-resources.ts';
import { computeQosClass } from './qos.ts';

/** Absent means: leave it as it is. */
export interface CgroupValues {
  /** Relative weight on the scale of version 1; 1024 stands for one core. */
  readonly cpuShares?: number;
  /** Microseconds per period; −1 lifts the limit. */
  readonly cpuQuotaUs?: number;
  readonly cpuPeriodUs?: number;
  /** A list such as `0-3,8`. */
  readonly cpus?: string;
  readonly memoryLimitBytes?: number;
  readonly memoryMinBytes?: number;
  readonly memoryLowBytes?: number;
  readonly pidsLimit?: number;
  readonly hugepageLimits?: readonly { readonly pageSize: string; readonly limitBytes: number }[];
}

/** More than any machine has; the limits that count are those of the pods. */
const UNLIMITED_HUGEPAGES = 2 ** 62;

export interface MachineAmounts {
  readonly cpuCount: number;
  /** All CPUs, as a list. */
  readonly cpus: string;
  readonly memoryBytes: number;
  /** Processes the kernel can have; undefined when it does not report the limit. */
  readonly pidLimit?: number | undefined;
}

/** The cgroup of all pods: what the machine has, less what is kept (nothing is kept when not enforced). */
export function computeAllPodsValues(
  machine: MachineAmounts,
  kept: readonly ResourceList[],
  node: Pick<NodeProfile, 'hugepageSizesBytes'>,
): CgroupValues {
  const keptOf = (amount: (list: ResourceList) => number): number =>
    kept.reduce((total, list) => total + amount(list), 0);
  const milli = machine.cpuCount * 1000 - keptOf(cpuMilli);
  const memory = machine.memoryBytes - keptOf((list) => resourceBytes(list, 'memory'));
  const pids = (machine.pidLimit ?? 0) - keptOf((list) => resourceBytes(list, 'pid'));
  return {
    cpuShares: milliToShares(Math.max(milli, 0)),
    ...(machine.cpus !== '' && { cpus: machine.cpus }),
    ...(memory > 0 && { memoryLimitBytes: memory }),
    ...(pids > 0 && { pidsLimit: pids }),
    ...toHugepages(node, UNLIMITED_HUGEPAGES),
  };
}

/** A cgroup kept for the system or Kubernetes: what is reserved is all it gets; `cpuOnly` binds the CPU alone. */
export function computeReservedValues(
  reserved: ResourceList,
  node: NodeProfile,
  cpuOnly: boolean,
): CgroupValues {
  const cpu = reserved['cpu'] === undefined ? {} : { cpuShares: milliToShares(cpuMilli(reserved)) };
  if (cpuOnly) return cpu;
  const memory = resourceBytes(reserved, 'memory');
  const pids = resourceBytes(reserved, 'pid');
  return {
    ...cpu,
    ...(memory > 0 && { memoryLimitBytes: memory }),
    ...(memory > 0 && hasMemoryQos(node) && { memoryMinBytes: memory }),
    ...(pids > 0 && { pidsLimit: pids }),
    ...toHugepages(node, 0),
  };
}

/** What one pod adds to the tiers. */
export interface TierDemand {
  readonly burstableMilli: number;
  readonly burstableBytes: number;
  readonly guaranteedBytes: number;
}

export const NO_DEMAND: TierDemand = { burstableMilli: 0, burstableBytes: 0, guaranteedBytes: 0 };

/** Requests of a pod as its class counts them, overhead included. */
export function toTierDemand(pod: Pod, node: Pick<NodeProfile, 'features'>): TierDemand {
  const podLevelResources = node.features('PodLevelResources');
  const qos = computeQosClass(pod, podLevelResources);
  if (qos === 'BestEffort') return NO_DEMAND;
  const requests = computePodRequests(pod, { podLevelResources });
  const bytes = bytesOf(requests, 'memory');
  if (qos === 'Guaranteed') return { ...NO_DEMAND, guaranteedBytes: bytes };
  return { ...NO_DEMAND, burstableMilli: milliOf(requests, 'cpu'), burstableBytes: bytes };
}

export function sumDemands(demands: Iterable<TierDemand>): TierDemand {
  let { burstableMilli, burstableBytes, guaranteedBytes } = NO_DEMAND;
  for (const demand of demands) {
    burstableMilli += demand.burstableMilli;
    burstableBytes += demand.burstableBytes;
    guaranteedBytes += demand.guaranteedBytes;
  }
  return { burstableMilli, burstableBytes, guaranteedBytes };
}

export interface TierValues {
  /** On top of {@link computeAllPodsValues}. */
  readonly allPods: CgroupValues;
  readonly burstable: CgroupValues;
  readonly bestEffort: CgroupValues;
}

/** Undefined leaves what depends on the pods as it is: not all of them are known yet. */
export function computeTierValues(demand: TierDemand | undefined, node: NodeProfile): TierValues {
  const hugepages = toHugepages(node, UNLIMITED_HUGEPAGES);
  const bestEffort = { cpuShares: milliToShares(0), ...hugepages };
  if (demand === undefined) return { allPods: {}, burstable: hugepages, bestEffort };
  const cpuShares = milliToShares(demand.burstableMilli);
  if (!hasMemoryQos(node)) return { allPods: {}, burstable: { cpuShares, ...hugepages }, bestEffort };
  const { burstableBytes, guaranteedBytes } =
    node.memoryReservationPolicy === 'TieredReservation' ? demand : NO_DEMAND;
  return {
    allPods: { memoryMinBytes: burstableBytes + guaranteedBytes },
    burstable: { cpuShares, memoryLowBytes: burstableBytes, ...hugepages },
    bestEffort,
  };
}

/** Memory that lower tiers may not have, so that higher ones get what they ask for: `percent` of it. */
export function computeTierMemory(
  allPodsBytes: number,
  { guaranteedBytes, burstableBytes }: TierDemand,
  percent: number,
): { readonly burstable: CgroupValues; readonly bestEffort: CgroupValues } {
  const burstable = allPodsBytes - Math.trunc((guaranteedBytes * percent) / 100);
  const bestEffort = burstable - Math.trunc((burstableBytes * percent) / 100);
  const bound = (bytes: number): CgroupValues => ({ memoryLimitBytes: Math.max(bytes, 0) });
  return { burstable: bound(burstable), bestEffort: bound(bestEffort) };
}

function hasMemoryQos({ features, cgroupVersion }: NodeProfile): boolean {
  return features('MemoryQoS') && cgroupVersion === 2;
}

function toHugepages(
  { hugepageSizesBytes }: Pick<NodeProfile, 'hugepageSizesBytes'>,
  limitBytes: number,
): Pick<CgroupValues, 'hugepageLimits'> {
  if (hugepageSizesBytes.length === 0) return {};
  return {
    hugepageLimits: hugepageSizesBytes.map((size) => ({ pageSize: formatPageSize(size), limitBytes })),
  };
}
