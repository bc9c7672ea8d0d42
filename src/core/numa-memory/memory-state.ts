/**
 * How much memory of each NUMA node is free, and which containers have been
 * given some. A value: every change is a new one.
 *
 * A node serves containers that fit into it alone, or a group of nodes serves
 * those that need all of it together; never both at once.
 */
import type { PodUid } from '../model/ids.ts';

/** Memory of one kind on one node, in bytes: `memory` or `hugepages-2Mi`. */
export interface MemoryTable {
  readonly total: number;
  readonly systemReserved: number;
  /** What containers can have at most. */
  readonly allocatable: number;
  /** What they have. */
  readonly reserved: number;
  readonly free: number;
}

export interface NodeMemory {
  /** How often something was given from it. */
  readonly assignments: number;
  readonly tables: ReadonlyMap<string, MemoryTable>;
  /** The nodes it serves together with, itself among them; ascending. */
  readonly cells: readonly number[];
}

/** Some memory of one kind, from these nodes together. */
export interface MemoryBlock {
  /** Ascending. */
  readonly nodes: readonly number[];
  readonly type: string;
  readonly size: number;
}

/** By the name of the container. */
export type PodMemoryBlocks = ReadonlyMap<string, readonly MemoryBlock[]>;

export interface MemoryState {
  readonly nodes: ReadonlyMap<number, NodeMemory>;
  readonly assigned: ReadonlyMap<PodUid, PodMemoryBlocks>;
}

export const NO_MEMORY_STATE: MemoryState = { nodes: new Map(), assigned: new Map() };

/** Takes from one node after the other until it is enough, and counts the assignment on each. */
export function takeFromNodes(
  nodes: MemoryState['nodes'],
  block: Pick<MemoryBlock, 'nodes' | 'type'>,
  size: number,
): Map<number, NodeMemory> {
  const changed = new Map(nodes);
  let missing = size;
  for (const id of block.nodes) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    const table = node.tables.get(block.type);
    const part = Math.min(missing, table?.free ?? 0);
    missing -= part;
    const tables = moveBytes(node.tables, block.type, part);
    changed.set(id, { assignments: node.assignments + 1, cells: block.nodes, tables });
  }
  return changed;
}

/** The reverse; a node without assignments is on its own again. */
function returnToNodes(nodes: MemoryState['nodes'], block: MemoryBlock): Map<number, NodeMemory> {
  const changed = new Map(nodes);
  let left = block.size;
  for (const id of block.nodes) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    const part = Math.min(left, node.tables.get(block.type)?.reserved ?? 0);
    left -= part;
    const assignments = node.assignments - 1;
    const cells = assignments === 0 ? [id] : node.cells;
    changed.set(id, { assignments, cells, tables: moveBytes(node.tables, block.type, -part) });
  }
  return changed;
}

export function setBlocks(
  { nodes, assigned }: MemoryState,
  uid: PodUid,
  container: string,
  blocks: readonly MemoryBlock[],
): MemoryState {
  const ofPod = new Map([...(assigned.get(uid) ?? []), [container, blocks] as const]);
  return { nodes, assigned: new Map([...assigned, [uid, ofPod] as const]) };
}

/** Takes back what these containers of the pod have; all of them when none is named. */
export function returnMemory(state: MemoryState, uid: PodUid, containers?: readonly string[]): MemoryState {
  const ofPod = state.assigned.get(uid);
  if (ofPod === undefined) return state;
  const kept = new Map(ofPod);
  let nodes = state.nodes;
  for (const name of containers ?? [...ofPod.keys()]) {
    for (const block of ofPod.get(name) ?? []) nodes = returnToNodes(nodes, block);
    kept.delete(name);
  }
  const assigned = new Map(state.assigned);
  if (kept.size === 0) assigned.delete(uid);
  else assigned.set(uid, kept);
  return { nodes, assigned };
}

/** From free to reserved. */
function moveBytes(
  tables: NodeMemory['tables'],
  type: string,
  bytes: number,
): ReadonlyMap<string, MemoryTable> {
  const table = tables.get(type);
  if (table === undefined || bytes === 0) return tables;
  const moved = { ...table, reserved: table.reserved + bytes, free: table.free - bytes };
  return new Map([...tables, [type, moved] as const]);
}
