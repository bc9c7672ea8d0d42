/**
 * What the configuration says about the node's own cgroups: how much all pods
 * may have together, and which cgroups are kept for the system and for
 * Kubernetes.
 */
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import type { ReservedCgroup } from '../../agent/resources/reserved-cgroups.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { parseCgroupPath, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import {
  type CgroupValues,
  computeAllPodsValues,
  computeReservedValues,
} from '../../core/resources/cgroup-values.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';

export interface NodeCgroups {
  readonly allPods: CgroupValues;
  readonly reserved: readonly ReservedCgroup[];
  /** How much of what higher QoS classes ask for is kept from lower ones. */
  readonly reservedMemoryPercent?: number | undefined;
}

type Settings = Pick<
  KubeletConfiguration,
  | 'enforceNodeAllocatable'
  | 'qosReserved'
  | 'systemReserved'
  | 'kubeReserved'
  | 'systemReservedCgroup'
  | 'kubeReservedCgroup'
>;

export function toNodeCgroups(
  config: Settings,
  node: NodeProfile,
  { capacity, onlineCpus, pidLimit }: Pick<MachineFacts, 'capacity' | 'onlineCpus' | 'pidLimit'>,
): NodeCgroups {
  const enforced = new Set(config.enforceNodeAllocatable);
  const kept = enforced.has('pods') ? [config.systemReserved, config.kubeReserved] : [];
  const { cpuCount, memoryBytes } = capacity;
  const machine = {
    cpuCount,
    memoryBytes,
    cpus: onlineCpus,
    pidLimit,
  };
  const holders = [
    { holder: 'system', name: config.systemReservedCgroup, amounts: config.systemReserved },
    { holder: 'kube', name: config.kubeReservedCgroup, amounts: config.kubeReserved },
  ] as const;
  const reserved = holders.flatMap(({ holder, name, amounts }) => {
    const cpuOnly = enforced.has(`${holder}-reserved-compressible`);
    if (!cpuOnly && !enforced.has(`${holder}-reserved`)) return [];
    const path = toCgroupPath(parseCgroupPath(name, node.cgroupDriver), node.cgroupDriver);
    return [{ holder, name, path, values: computeReservedValues(amounts, node, cpuOnly), cpuOnly }];
  });
  const percent = node.features('QOSReserved')
    ? Number.parseInt(config.qosReserved['memory'] ?? '', 10)
    : Number.NaN;
  return {
    allPods: computeAllPodsValues(machine, kept, node),
    reserved,
    ...(Number.isNaN(percent) ? {} : { reservedMemoryPercent: percent }),
  };
}
