/** The settings of the static CPU policy, and which CPUs of the machine it never gives away. */
import type { TopologyPolicyName } from '../topology/topology-policy.ts';
import { type CpuSet, renderCpuSet } from './cpu-set.ts';
import { allCpus, type CpuTopology, cpusIn, groupsOf } from './cpu-topology.ts';
import { takeSpread } from './spread-cpus.ts';
import { type Taken, takePacked } from './take-cpus.ts';

export interface CpuPolicyOptions {
  /** Containers on whole cores only. */
  readonly fullCores: boolean;
  /** The shared pool is without the reserved CPUs, too. */
  readonly strictReservation: boolean;
  readonly byCache: boolean;
  readonly acrossNodes: boolean;
  readonly acrossCores: boolean;
  readonly bySocket: boolean;
}

export interface CpuPolicy {
  readonly topology: CpuTopology;
  readonly options: CpuPolicyOptions;
  /** Never given to one container alone. */
  readonly reserved: CpuSet;
}

/** What the policy is made from. */
export interface CpuReservation {
  /** Rounded up to whole CPUs. */
  readonly count: number;
  /** Which ones; undefined leaves the choice to the policy. */
  readonly cpus: CpuSet | undefined;
}

/** Or why the agent cannot start with it, in words that upstream has. */
export function createCpuPolicy(
  topology: CpuTopology,
  reservation: CpuReservation,
  options: CpuPolicyOptions,
  topologyPolicy: TopologyPolicyName,
): CpuPolicy | { readonly problem: string } {
  const problem = findOptionProblem(topology, options, topologyPolicy);
  if (problem !== undefined) return { problem: `new static policy error: ${problem}` };
  if (reservation.count <= 0)
    return {
      problem:
        '[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero',
    };
  const reserved = chooseReserved(topology, reservation, options);
  if (reserved.size !== reservation.count) {
    const what = `size of ${renderCpuSet(reserved)} did not equal ${reservation.count}`;
    return {
      problem: `new static policy error: [cpumanager] unable to reserve the required amount of CPUs (${what})`,
    };
  }
  const unknown = [...reserved].find((cpu) => !topology.cpus.has(cpu));
  if (unknown !== undefined) {
    const what = `unable to build the reserved physical CPUs from the reserved set: unknown CPU ID: ${unknown}`;
    return { problem: `new static policy error: [cpumanager] ${what}` };
  }
  return { topology, options, reserved };
}

function findOptionProblem(
  { counts }: CpuTopology,
  { bySocket }: CpuPolicyOptions,
  topologyPolicy: TopologyPolicyName,
): string | undefined {
  if (!bySocket) return undefined;
  if (topologyPolicy === 'single-numa-node')
    return 'Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option';
  if (counts.socket > counts.node)
    return 'Align by socket is not compatible with hardware where number of sockets are more than number of NUMA';
  return undefined;
}

/** The lowest cores, unless the configuration names them. */
function chooseReserved(
  topology: CpuTopology,
  { count, cpus }: CpuReservation,
  options: CpuPolicyOptions,
): CpuSet {
  if (cpus !== undefined && cpus.size > 0) return cpus;
  const taken = takeCpus({ topology, options }, allCpus(topology), count);
  return taken.ok ? taken.cpus : new Set();
}

/** By the options of the policy. */
export function takeCpus(
  { topology, options }: Pick<CpuPolicy, 'topology' | 'options'>,
  available: CpuSet,
  count: number,
): Taken {
  if (!options.acrossNodes) return takePacked(topology, available, count, options);
  const groupSize = options.fullCores ? topology.cpusPerCore : 1;
  return takeSpread(topology, available, count, groupSize, options);
}

/** The reserved CPUs with the other threads of their cores. */
export function reservedCores({ topology, reserved }: CpuPolicy): CpuSet {
  return cpusIn(topology, allCpus(topology), 'core', groupsOf(topology, reserved, 'core'));
}

/** What the shared pool has while no container has a CPU of its own. */
export function wholePool({ topology, options, reserved }: CpuPolicy): CpuSet {
  const all = allCpus(topology);
  return options.strictReservation ? all.difference(reserved) : all;
}
