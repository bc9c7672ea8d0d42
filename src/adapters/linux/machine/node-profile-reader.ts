/**
 * The facts about the node that the rules for pods need: what the machine is
 * together with what the configuration says. Runs once at start, before
 * anything decides about a pod.
 */
import type { NodeProfile, SwapFacts } from '../../../core/model/node-profile.ts';
import { computeOwnAllocatable, type ReservationSettings } from '../../../core/node-status/node-resources.ts';
import { LinuxMounter } from '../mount/mounter.ts';
import { type MachineFacts, type MachineSources, readMachineFacts } from './machine-facts.ts';
import { decideNodeIps, needsResolver } from './node-ips.ts';
import { canKeepOutOfSwap, type NoSwapSources } from './tmpfs-no-swap.ts';

/** What only the machine knows. */
type MachineKey =
  | 'bootId'
  | 'nodeIps'
  | 'memoryCapacityBytes'
  | 'pageSizeBytes'
  | 'allocatable'
  | 'hugepageSizesBytes'
  | 'swap'
  | 'thermalThrottlePaths'
  | 'cgroupVersion'
  | 'selinuxEnabled';

/** The effective configuration, as far as it is a fact about the node. */
export interface NodeSettings extends Omit<NodeProfile, MachineKey>, ReservationSettings {
  /** Addresses given with `--node-ip`. */
  readonly requestedNodeIps: readonly string[];
  readonly swapBehavior: SwapFacts['behavior'];
}

export interface NodeProfileReading {
  readonly node: NodeProfile;
  readonly machine: MachineFacts;
  /** What is missing although the node can run without it. */
  readonly warnings: readonly string[];
}

/** Rejects when the machine cannot be read at all. */
export async function readNodeProfile(
  settings: NodeSettings,
  sources: Omit<MachineSources, 'nodeName' | 'rootDir'> & Partial<NoSwapSources> = {},
): Promise<NodeProfileReading> {
  const { nodeName, rootDir, requestedNodeIps } = settings;
  // Not asked without need: a resolver may be slow.
  const resolve = needsResolver(requestedNodeIps) ? {} : { resolve: async () => [] };
  const machine = await readMachineFacts({ ...sources, ...resolve, nodeName, rootDir });
  const tmpfsNoSwap = await canKeepOutOfSwap({ mounter: new LinuxMounter(), ...sources, rootDir });
  return toNodeReading(machine, tmpfsNoSwap, settings);
}

/** Joins machine and configuration; pure. */
function toNodeReading(
  machine: MachineFacts,
  tmpfsNoSwap: boolean,
  settings: NodeSettings,
): NodeProfileReading {
  const { requestedNodeIps, swapBehavior, systemReserved, kubeReserved, evictionHard, ...configured } =
    settings;
  const { nodeName } = configured;
  const reserved = { systemReserved, kubeReserved, evictionHard };
  const { ips, problem } = decideNodeIps({ ...machine, nodeName, requested: requestedNodeIps });
  const node: NodeProfile = {
    ...configured,
    bootId: machine.bootId,
    nodeIps: () => ips,
    memoryCapacityBytes: machine.capacity.memoryBytes,
    pageSizeBytes: machine.pageSizeBytes,
    allocatable: computeOwnAllocatable(reserved, { ...machine.capacity, hugepages: machine.hugepages }),
    hugepageSizesBytes: machine.hugepageSizesBytes,
    swap: {
      controllerAvailable: machine.swapControllerAvailable,
      behavior: swapBehavior,
      capacityBytes: machine.swapBytes,
      tmpfsNoSwap,
    },
    thermalThrottlePaths: machine.thermalThrottlePaths,
    cgroupVersion: machine.cgroup.version,
    selinuxEnabled: machine.selinuxEnabled,
  };
  return { node, machine, warnings: problem === undefined ? [] : [problem] };
}
