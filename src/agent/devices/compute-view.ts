/** What containers have for themselves of processors and memory, for those who list it. */
import type { CpuAssigner } from '../assign/cpu-assigner.ts';
import type { MemoryAssigner } from '../assign/memory-assigner.ts';
import type { ComputeView } from './pod-resource-view.ts';

export function toComputeView(
  cpus: Pick<CpuAssigner, 'state' | 'policy'>,
  memory: Pick<MemoryAssigner, 'state'>,
): ComputeView {
  return {
    cpusOf: (uid, container) => inOrder(cpus.state.assigned.get(uid)?.get(container) ?? []),
    memoryOf: (uid, container) =>
      (memory.state.assigned.get(uid)?.get(container) ?? []).map(({ nodes, type, size }) => ({
        type,
        bytes: size,
        numaNodes: nodes,
      })),
    allocatableCpus: () => {
      const { policy } = cpus;
      const all = policy === undefined ? [] : policy.topology.cpus.keys();
      return inOrder([...all].filter((cpu) => policy?.reserved.has(cpu) !== true));
    },
    allocatableMemory: () =>
      [...memory.state.nodes].flatMap(([node, { tables }]) =>
        [...tables]
          .filter(([, { allocatable }]) => allocatable > 0)
          .map(([type, { allocatable }]) => ({ type, bytes: allocatable, numaNodes: [node] })),
      ),
  };
}

function inOrder(cpus: Iterable<number>): number[] {
  return [...cpus].sort((a, b) => a - b);
}
