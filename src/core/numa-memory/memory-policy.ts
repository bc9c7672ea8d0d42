/** What the static memory policy starts from: the memory of each node, less what the system keeps of it. */
import type { ResourceList } from '../api/pod.ts';
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityToBytes,
  wholeQuantity,
} from '../api/quantity.ts';
import type { MachineLayout, NumaNode } from '../cpus/machine-layout.ts';
import { HUGEPAGES_PREFIX, isHugePages } from '../resources/hugepages.ts';
import type { MemoryState, MemoryTable, NodeMemory } from './memory-state.ts';

/** One entry of `reservedMemory`. */
export interface MemoryReservation {
  readonly numaNode: number;
  readonly limits: ResourceList;
}

/** Nothing given yet; or why the agent cannot start so, in words that upstream has. */
export function createMemoryState(
  { nodes }: MachineLayout,
  reservations: readonly MemoryReservation[],
  /** What the node as a whole keeps from pods, by resource. */
  kept: ResourceList,
): MemoryState | { readonly problem: string } {
  const problem = findReservationProblem(nodes, reservations, kept);
  if (problem !== undefined) return { problem };
  const reservedOf = (node: number, type: string): number =>
    reservations
      .filter(({ numaNode, limits }) => numaNode === node && limits[type] !== undefined)
      .reduce((_, { limits }) => quantityToBytes(parseQuantity(limits[type] ?? '0')), 0);
  if (nodes.every(({ id }) => reservedOf(id, 'memory') === 0))
    return { problem: '[memorymanager] you should specify the system reserved memory' };
  const made = nodes.map(
    (node) => [node.id, toNodeMemory(node, (type) => reservedOf(node.id, type))] as const,
  );
  return { nodes: new Map(made), assigned: new Map() };
}

function toNodeMemory(node: NumaNode, reservedOf: (type: string) => number): NodeMemory {
  const pages = node.hugepages.map(({ pageBytes, count }) => {
    const type = `${HUGEPAGES_PREFIX}${formatQuantity(wholeQuantity(pageBytes, 'BinarySI'))}`;
    return [type, toTable(pageBytes * count, reservedOf(type), 0)] as const;
  });
  const inPages = node.hugepages.reduce((sum, { pageBytes, count }) => sum + pageBytes * count, 0);
  const memory = toTable(node.memoryBytes, reservedOf('memory'), inPages);
  return { assignments: 0, cells: [node.id], tables: new Map([...pages, ['memory', memory] as const]) };
}

function toTable(total: number, systemReserved: number, otherwiseUsed: number): MemoryTable {
  const allocatable = Math.max(0, total - systemReserved - otherwiseUsed);
  return { total, systemReserved, allocatable, reserved: 0, free: allocatable };
}

/** What is kept on the nodes has to add up to what is kept on the whole. */
function findReservationProblem(
  nodes: readonly NumaNode[],
  reservations: readonly MemoryReservation[],
  kept: ResourceList,
): string | undefined {
  const known = new Set(nodes.map(({ id }) => id));
  const totals = new Map<string, Quantity>();
  for (const { numaNode, limits } of reservations) {
    if (!known.has(numaNode))
      return `the reserved memory configuration references a NUMA node ${numaNode} that does not exist on this machine`;
    for (const [type, text] of Object.entries(limits)) {
      const sum = totals.get(type);
      const own = parseQuantity(text);
      totals.set(type, sum === undefined ? own : addQuantities(own, sum));
    }
  }
  const wanted = Object.keys(kept).filter((type) => type === 'memory' || isHugePages(type));
  for (const type of [...new Set([...totals.keys(), ...wanted])].sort()) {
    const sum = totals.get(type) ?? wholeQuantity(0);
    const determined = parseQuantity(kept[type] ?? '0');
    if (sum.nanos !== determined.nanos)
      return `the total amount "${formatQuantity(sum)}" of type "${type}" is not equal to the value "${formatQuantity(determined)}" determined by Node Allocatable feature`;
  }
  return undefined;
}
