/** What is counted of the CPUs as a whole. */
import type { CpuMeasurement } from '../topology/assignment-measurement.ts';
import { freeCpus } from './allocate-cpus.ts';
import type { CpuPolicy } from './cpu-policy.ts';
import { ascending } from './cpu-set.ts';
import { assignedCpus, type CpuState } from './cpu-state.ts';
import { cpusIn } from './cpu-topology.ts';

export function measureCpus(policy: CpuPolicy, state: CpuState): CpuMeasurement {
  const assigned = assignedCpus(state);
  const { topology } = policy;
  const byNode = ascending(topology.nodes).map(
    (node) => [node, cpusIn(topology, assigned, 'node', new Set([node])).size] as const,
  );
  return {
    kind: 'cpus',
    sharedMilli: freeCpus(policy, state).size * 1000,
    exclusive: assigned.size,
    byNode: new Map(byNode),
  };
}
