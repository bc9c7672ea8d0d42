/** From which NUMA nodes a container, or a pod, could get the memory it asks for. */
import type { Container, Pod } from '../api/pod.ts';
import { toPodUid } from '../model/ids.ts';
import { containersOf } from '../model/pod-containers.ts';
import { type NumaMask, nodesOf, subsetsOf, toNumaMask } from '../topology/numa-mask.ts';
import type { ResourceHints, TopologyHint } from '../topology/topology-hint.ts';
import { isPinned, type MemoryRequests, memoryRequests, podMemoryRequests } from './memory-request.ts';
import { type ReusableMemory, reusableBytes } from './memory-reuse.ts';
import type { MemoryBlock, MemoryState, MemoryTable } from './memory-state.ts';

export function toMemoryHints(
  state: MemoryState,
  reusable: ReusableMemory,
  pod: Pod,
  container: Container,
): ResourceHints | undefined {
  if (!isPinned(pod)) return undefined;
  const requests = memoryRequests(container);
  const had = state.assigned.get(toPodUid(pod.metadata.uid))?.get(container.name);
  return had === undefined
    ? asHints(requests, listPlaces(state, reusable, requests))
    : repeatHints(had, requests);
}

export function toPodMemoryHints(
  state: MemoryState,
  reusable: ReusableMemory,
  pod: Pod,
): ResourceHints | undefined {
  if (!isPinned(pod)) return undefined;
  const requests = podMemoryRequests(pod);
  const ofPod = state.assigned.get(toPodUid(pod.metadata.uid));
  const had = containersOf(pod).flatMap(({ name }) => ofPod?.get(name) ?? []).length > 0;
  if (!had) return asHints(requests, listPlaces(state, reusable, requests));
  const first = containersOf(pod).find(({ name }) => ofPod?.has(name) === true);
  return repeatHints(ofPod?.get(first?.name ?? '') ?? [], requests);
}

/** Without any place nothing is said at all: then giving the memory fails, with a reason that says so. */
function asHints(requests: MemoryRequests, places: readonly TopologyHint[]): ResourceHints | undefined {
  if (places.length === 0) return undefined;
  return new Map([...requests.keys()].map((type) => [type, places]));
}

/** What was given before, as the only place; nothing when it is not what is asked for now. */
function repeatHints(blocks: readonly MemoryBlock[], requests: MemoryRequests): ResourceHints | undefined {
  if (blocks.length !== requests.size) return undefined;
  if (blocks.some(({ type, size }) => requests.get(type) !== size)) return undefined;
  return new Map(blocks.map(({ type, nodes }) => [type, [{ nodes: toNumaMask(nodes), preferred: true }]]));
}

/** Places that have all kinds free, and whose nodes serve nothing else; preferred with as few nodes as could ever do. */
export function listPlaces(
  state: MemoryState,
  reusable: ReusableMemory,
  requests: MemoryRequests,
): TopologyHint[] {
  if (requests.size === 0) return [];
  let fewest = state.nodes.size;
  const places: NumaMask[] = [];
  for (const place of subsetsOf([...state.nodes.keys()])) {
    const nodes = nodesOf(place);
    const sums = (key: 'allocatable' | 'free', type: string): number => sumOf(state, nodes, type, key);
    if ([...requests].some(([type, bytes]) => sums('allocatable', type) < bytes)) continue;
    fewest = Math.min(fewest, nodes.length);
    if (servesOthers(state, nodes)) continue;
    const isFree = ([type, bytes]: [string, number]): boolean =>
      sums('free', type) + reusableBytes(reusable, nodes, type) >= bytes;
    if ([...requests].every(isFree)) places.push(place);
  }
  return places.map((nodes) => ({ nodes, preferred: nodesOf(nodes).length === fewest }));
}

/** A node alone must not be part of a group; those of a group must be in no other, nor on their own. */
function servesOthers({ nodes }: MemoryState, place: readonly number[]): boolean {
  const [only] = place;
  if (place.length === 1) return (nodes.get(only ?? -1)?.cells.length ?? 1) > 1;
  return violatesGroups({ nodes }, place);
}

/** A group of several nodes is taken where one of them serves on its own or in another group. */
export function violatesGroups({ nodes }: Pick<MemoryState, 'nodes'>, place: readonly number[]): boolean {
  if (place.length === 1) return false;
  return place.some((id) => {
    const node = nodes.get(id);
    if (node === undefined || node.assignments === 0) return false;
    return toNumaMask(node.cells) !== toNumaMask(place);
  });
}

export function sumOf(
  { nodes }: MemoryState,
  place: readonly number[],
  type: string,
  key: keyof MemoryTable,
): number {
  return place.reduce((sum, id) => sum + (nodes.get(id)?.tables.get(type)?.[key] ?? 0), 0);
}
