/**
 * The text of `memory_manager_state`, as the upstream kubelet writes and
 * reads it. The checksum is over a dump of the structure with the names it has
 * there.
 */
import { isJsonObject } from '../../base/json.ts';
import { fnv1a32 } from '../../base/text/fnv.ts';
import { type PodUid, parsePodUid } from '../model/ids.ts';
import type { MemoryBlock, MemoryState, MemoryTable, NodeMemory, PodMemoryBlocks } from './memory-state.ts';

/** In the order of the file, with the names of its dump. */
const TABLE_FIELDS = [
  ['total', 'TotalMemSize'],
  ['systemReserved', 'SystemReserved'],
  ['allocatable', 'Allocatable'],
  ['reserved', 'Reserved'],
  ['free', 'Free'],
] as const;

export function renderMemoryState(policyName: string, state: MemoryState): string {
  const nodes = sortNumbers(state.nodes).map(([id, node]) => [String(id), nodeToJson(node)] as const);
  const pods = sortNames(state.assigned)
    .filter(([, ofPod]) => ofPod.size > 0)
    .map(([uid, ofPod]) => {
      const containers = sortNames(ofPod).map(([name, blocks]) => [name, blocks.map(blockToJson)] as const);
      return [uid, Object.fromEntries(containers)] as const;
    });
  return JSON.stringify({
    policyName,
    machineState: Object.fromEntries(nodes),
    ...(pods.length > 0 && { entries: Object.fromEntries(pods) }),
    checksum: computeChecksum(policyName, state),
  });
}

/** Or what is wrong with the text. */
export function parseMemoryState(
  text: string,
  policyName: string,
): { readonly state: MemoryState } | { readonly problem: string } {
  const notOne = { problem: 'it is not a checkpoint' };
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return notOne;
  }
  if (!isJsonObject(document) || typeof document['policyName'] !== 'string') return notOne;
  const nodes = parseNodes(document['machineState'] ?? {});
  const assigned = parsePods(document['entries'] ?? {});
  if (nodes === undefined || assigned === undefined) return notOne;
  const state = { nodes, assigned };
  const { policyName: saved, checksum } = document;
  // Files of old agents have none.
  if (checksum !== 0 && checksum !== computeChecksum(String(saved), state))
    return { problem: 'checkpoint is corrupted' };
  if (saved !== policyName)
    return {
      problem: `[memorymanager] configured policy "${policyName}" differs from state checkpoint policy "${saved}"`,
    };
  return { state };
}

function nodeToJson({ assignments, tables, cells }: NodeMemory): unknown {
  const memoryMap = Object.fromEntries(
    sortNames(tables).map(([type, table]) => [
      type,
      Object.fromEntries(TABLE_FIELDS.map(([key]) => [key, table[key]])),
    ]),
  );
  return { numberOfAssignments: assignments, memoryMap, cells };
}

function blockToJson({ nodes, type, size }: MemoryBlock): unknown {
  return { numaAffinity: nodes, type, size };
}

function computeChecksum(policyName: string, { nodes, assigned }: MemoryState): number {
  const machine = sortNumbers(nodes).map(([id, node]) => `${id}:<*>${dumpNode(node)}`);
  const pods = sortNames(assigned)
    .filter(([, ofPod]) => ofPod.size > 0)
    .map(([uid, ofPod]) => {
      const containers = sortNames(ofPod).map(
        ([name, blocks]) => `${name}:[${blocks.map(dumpBlock).join(' ')}]`,
      );
      return `${uid}:map[${containers.join(' ')}]`;
    });
  const fields = [
    `PolicyName:(string)${policyName}`,
    `MachineState:(state.NUMANodeMap)map[${machine.join(' ')}]`,
    `Entries:(state.ContainerMemoryAssignments)map[${pods.join(' ')}]`,
    'Checksum:(checksum.Checksum)0',
  ];
  return Number.parseInt(fnv1a32(`(*state.MemoryManagerCheckpoint){${fields.join(' ')}}`), 16);
}

function dumpNode({ assignments, tables, cells }: NodeMemory): string {
  const kinds = sortNames(tables).map(([type, table]) => {
    const fields = TABLE_FIELDS.map(([key, name]) => `${name}:(uint64)${table[key]}`);
    return `${type}:<*>{${fields.join(' ')}}`;
  });
  const map = `MemoryMap:(map[v1.ResourceName]*state.MemoryTable)map[${kinds.join(' ')}]`;
  return `{NumberOfAssignments:(int)${assignments} ${map} Cells:([]int)[${cells.join(' ')}]}`;
}

function dumpBlock({ nodes, type, size }: MemoryBlock): string {
  return `{NUMAAffinity:([]int)[${nodes.join(' ')}] Type:(v1.ResourceName)${type} Size:(uint64)${size}}`;
}

function parseNodes(value: unknown): ReadonlyMap<number, NodeMemory> | undefined {
  if (!isJsonObject(value)) return undefined;
  const nodes = new Map<number, NodeMemory>();
  for (const [id, node] of Object.entries(value)) {
    if (!/^\d{1,4}$/.test(id) || !isJsonObject(node) || !isJsonObject(node['memoryMap'])) return undefined;
    const { numberOfAssignments: assignments, cells, memoryMap } = node;
    const tables = Object.entries(memoryMap).map(([type, table]) => [type, parseTable(table)] as const);
    if (!isCount(assignments) || !isCounts(cells) || !tables.every(isParsed)) return undefined;
    nodes.set(Number(id), { assignments, cells, tables: new Map(tables) });
  }
  return nodes;
}

function isParsed(
  entry: readonly [string, MemoryTable | undefined],
): entry is readonly [string, MemoryTable] {
  return entry[1] !== undefined;
}

function parseTable(value: unknown): MemoryTable | undefined {
  if (!isJsonObject(value) || !TABLE_FIELDS.every(([key]) => isCount(value[key]))) return undefined;
  const fields = TABLE_FIELDS.map(([key]) => [key, value[key]] as const);
  return Object.fromEntries(fields) as unknown as MemoryTable;
}

function parsePods(value: unknown): ReadonlyMap<PodUid, PodMemoryBlocks> | undefined {
  if (!isJsonObject(value)) return undefined;
  const pods = new Map<PodUid, PodMemoryBlocks>();
  for (const [key, containers] of Object.entries(value)) {
    const uid = parsePodUid(key);
    if (uid === undefined || !isJsonObject(containers)) return undefined;
    const ofPod = new Map<string, readonly MemoryBlock[]>();
    for (const [name, blocks] of Object.entries(containers)) {
      if (!Array.isArray(blocks)) return undefined;
      const parsed = blocks.flatMap((one: unknown) => parseBlock(one) ?? []);
      if (parsed.length !== blocks.length) return undefined;
      ofPod.set(name, parsed);
    }
    pods.set(uid, ofPod);
  }
  return pods;
}

function parseBlock(value: unknown): MemoryBlock | undefined {
  if (!isJsonObject(value)) return undefined;
  const { numaAffinity: nodes, type, size } = value;
  return isCounts(nodes) && typeof type === 'string' && isCount(size) ? { nodes, type, size } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}

function sortNames<K extends string, V>(map: ReadonlyMap<K, V>): [K, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function sortNumbers<V>(map: ReadonlyMap<number, V>): [number, V][] {
  return [...map].sort(([a], [b]) => a - b);
}
