/** What the configuration says about who gets CPUs, memory and devices for itself, on this machine. */

import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import type { AssignmentSettings } from '../../agent/agent-ports.ts';
import { AgentError } from '../../base/errors.ts';
import { type CpuPolicy, type CpuPolicyOptions, createCpuPolicy } from '../../core/cpus/cpu-policy.ts';
import { parseCpuSet } from '../../core/cpus/cpu-set.ts';
import { toCpuTopology } from '../../core/cpus/cpu-topology.ts';
import { type MachineLayout, toNumaLayout } from '../../core/cpus/machine-layout.ts';
import { computeReserved } from '../../core/node-status/node-resources.ts';
import { createMemoryState } from '../../core/numa-memory/memory-policy.ts';
import type { MemoryState } from '../../core/numa-memory/memory-state.ts';
import { cpuMilli } from '../../core/resources/pod-resources.ts';
import { HIGHEST_NUMA_NODE } from '../../core/topology/numa-mask.ts';
import type { TopologyPolicy } from '../../core/topology/topology-policy.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { parseBoolean } from '../config/parse-boolean.ts';
import { durationMs } from '../config/parse-duration.ts';
import { toReservations } from './reservations.ts';

/** A machine with more has too many sets of nodes to look at. */
const USUAL_NUMA_LIMIT = 8;

/** Throws AgentError when the machine cannot be handed out so. */
export function toAssignment(loaded: LoadedConfiguration, machine: MachineFacts): AssignmentSettings {
  const { layout } = machine;
  const topology = toTopologyPolicy(loaded, layout);
  return {
    layout,
    topology,
    numa: toNumaLayout(layout),
    cpuPolicy: toCpuPolicy(loaded, machine, topology),
    memory: toMemory(loaded, machine),
    retryMs: durationMs(loaded.config.cpuManagerReconcilePeriod),
  };
}

function toTopologyPolicy({ config }: LoadedConfiguration, { nodes }: MachineLayout): TopologyPolicy {
  const { topologyManagerPolicyOptions: options } = config;
  const name = config.topologyManagerPolicy as TopologyPolicy['name'];
  const preferClosest = isOn(options['prefer-closest-numa-nodes']);
  if (name !== 'none') {
    const limit = Number(options['max-allowable-numa-nodes'] ?? USUAL_NUMA_LIMIT);
    if (nodes.length > limit) throw refuse(`unsupported on machines with more than ${limit} NUMA Nodes`);
    if (preferClosest && nodes.some(({ distances }) => distances.length === 0))
      throw refuse('cannot discover NUMA topology: error getting NUMA distances from cadvisor');
    checkNumbers(nodes, 'topologyManagerPolicy');
  }
  return { name, scope: config.topologyManagerScope as TopologyPolicy['scope'], preferClosest };
}

function toCpuPolicy(
  loaded: LoadedConfiguration,
  { layout, capacity, hugepages }: MachineFacts,
  topology: TopologyPolicy,
): CpuPolicy | undefined {
  const { config } = loaded;
  if (config.cpuManagerPolicy === 'none') {
    const names = Object.entries(config.cpuManagerPolicyOptions).map(([name, value]) => `${name}:${value}`);
    if (names.length === 0) return undefined;
    throw refuse(`new none policy error: None policy: received unsupported options=map[${names.join(' ')}]`);
  }
  checkNumbers(layout.nodes, 'cpuManagerPolicy');
  const reserved = computeReserved(toReservations(loaded), { ...capacity, hugepages });
  const reservation = {
    count: Math.ceil(cpuMilli(reserved) / 1000),
    cpus: parseCpuSet(config.reservedSystemCPUs),
  };
  const options = toCpuOptions(config.cpuManagerPolicyOptions);
  const policy = createCpuPolicy(toCpuTopology(layout.cpus), reservation, options, topology.name);
  if ('problem' in policy) throw refuse(policy.problem);
  return policy;
}

function toCpuOptions(options: Readonly<Record<string, string>>): CpuPolicyOptions {
  const on = (name: string): boolean => isOn(options[name]);
  return {
    fullCores: on('full-pcpus-only'),
    strictReservation: on('strict-cpu-reservation'),
    byCache: on('prefer-align-cpus-by-uncorecache'),
    acrossNodes: on('distribute-cpus-across-numa'),
    acrossCores: on('distribute-cpus-across-cores'),
    bySocket: on('align-by-socket'),
  };
}

function toMemory(
  loaded: LoadedConfiguration,
  { layout, capacity, hugepages }: MachineFacts,
): MemoryState | undefined {
  const { config } = loaded;
  if (config.memoryManagerPolicy === 'None') return undefined;
  checkNumbers(layout.nodes, 'memoryManagerPolicy');
  const kept = computeReserved(toReservations(loaded), { ...capacity, hugepages });
  const state = createMemoryState(layout, config.reservedMemory, kept);
  if ('problem' in state) throw refuse(state.problem);
  return state;
}

/** Sets of nodes are bits of a number. */
function checkNumbers(nodes: MachineLayout['nodes'], field: string): void {
  const high = nodes.find(({ id }) => id > HIGHEST_NUMA_NODE)?.id;
  if (high !== undefined)
    throw refuse(
      `cannot use ${field} on a machine with NUMA node ${high}: the highest is ${HIGHEST_NUMA_NODE}`,
    );
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && parseBoolean(value) === true;
}

function refuse(message: string): AgentError {
  return new AgentError('failed-precondition', message);
}
