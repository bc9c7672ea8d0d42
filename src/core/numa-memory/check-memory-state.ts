/** Whether what was saved is still true of this machine: its sizes, and what is left of them after all assignments. */
import { toNumaMask } from '../topology/numa-mask.ts';
import { sumOf } from './memory-hints.ts';
import {
  type MemoryBlock,
  type MemoryState,
  type NodeMemory,
  setBlocks,
  takeFromNodes,
} from './memory-state.ts';

/** `fresh` is the machine with nothing given; the problem is worded as upstream does. */
export function checkMemoryState(
  fresh: MemoryState,
  saved: MemoryState,
): MemoryState | { readonly problem: string } {
  if (saved.nodes.size === 0) {
    if (saved.assigned.size === 0) return fresh;
    return { problem: '[memorymanager] machine state can not be empty when it has memory assignments' };
  }
  let expected = fresh;
  for (const [uid, ofPod] of saved.assigned)
    for (const [name, blocks] of ofPod) {
      const unknown = findUnknown(fresh, blocks);
      if (unknown !== undefined)
        return {
          problem: `[memorymanager] (pod: ${uid}, container: ${name}) the memory assignment uses ${unknown}`,
        };
      let { nodes } = expected;
      for (const block of blocks) nodes = takeFromNodes(nodes, block, block.size);
      expected = setBlocks({ ...expected, nodes }, uid, name, blocks);
    }
  if (isSameMachine(saved, expected)) return saved;
  return { problem: '[memorymanager] the expected machine state is different from the real one' };
}

function findUnknown({ nodes }: MemoryState, blocks: readonly MemoryBlock[]): string | undefined {
  for (const block of blocks)
    for (const id of block.nodes) {
      const node = nodes.get(id);
      if (node === undefined) return 'the NUMA that does not exist';
      if (!node.tables.has(block.type)) return 'memory resource that does not exist';
    }
  return undefined;
}

function isSameMachine(a: MemoryState, b: MemoryState): boolean {
  if (a.nodes.size !== b.nodes.size) return false;
  return [...a.nodes].every(([id, node]) => {
    const other = b.nodes.get(id);
    return other !== undefined && isSameNode(a, node, b, other);
  });
}

/** What is free is compared over a group: in which of its nodes it is depends on the order of assignments. */
function isSameNode(a: MemoryState, nodeA: NodeMemory, b: MemoryState, nodeB: NodeMemory): boolean {
  if (nodeA.assignments !== nodeB.assignments || nodeA.tables.size !== nodeB.tables.size) return false;
  if (toNumaMask(nodeA.cells) !== toNumaMask(nodeB.cells)) return false;
  return [...nodeA.tables].every(([type, table]) => {
    const other = nodeB.tables.get(type);
    if (other === undefined) return false;
    const isSameSize =
      table.total === other.total &&
      table.systemReserved === other.systemReserved &&
      table.allocatable === other.allocatable;
    return (
      isSameSize &&
      sumOf(a, nodeA.cells, type, 'free') === sumOf(b, nodeA.cells, type, 'free') &&
      sumOf(a, nodeA.cells, type, 'reserved') === sumOf(b, nodeA.cells, type, 'reserved')
    );
  });
}
