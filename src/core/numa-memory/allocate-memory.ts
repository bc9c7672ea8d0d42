/** Gives a container memory of NUMA nodes, from the place that was found for it, or says why it cannot have it. */
import type { Container, Pod } from '../api/pod.ts';
import { toPodUid } from '../model/ids.ts';
import type { AllocationFailure } from '../topology/allocation-failure.ts';
import { compareWidth, type NumaMask, nodesOf } from '../topology/numa-mask.ts';
import type { TopologyHint } from '../topology/topology-hint.ts';
import { listPlaces, sumOf, violatesGroups } from './memory-hints.ts';
import { isPinned, type MemoryRequests, memoryRequests } from './memory-request.ts';
import { type ReusableMemory, reusableBytes, shrinkInitBlocks, updateReusable } from './memory-reuse.ts';
import { type MemoryBlock, type MemoryState, setBlocks, takeFromNodes } from './memory-state.ts';

export type MemoryAllocation =
  /** `given` is false when the container needs nothing, or had it already. */
  | {
      readonly ok: true;
      readonly state: MemoryState;
      readonly reusable: ReusableMemory;
      readonly given: boolean;
    }
  | ({ readonly ok: false } & AllocationFailure);

export function allocateMemory(
  state: MemoryState,
  reusable: ReusableMemory,
  pod: Pod,
  container: Container,
  place: TopologyHint,
): MemoryAllocation {
  if (!isPinned(pod)) return { ok: true, state, reusable, given: false };
  const uid = toPodUid(pod.metadata.uid);
  const had = state.assigned.get(uid)?.get(container.name);
  if (had !== undefined)
    return { ok: true, state, reusable: updateReusable(reusable, pod, container, had), given: false };
  const requests = memoryRequests(container);
  const chosen = choosePlace(state, reusable, requests, place);
  if (!chosen.ok) return { ok: false, message: `[memorymanager] ${chosen.problem}` };
  const blocks = [...requests].map(
    ([type, size]): MemoryBlock => ({ nodes: nodesOf(chosen.nodes), type, size }),
  );
  let nodes = state.nodes;
  for (const block of blocks) {
    const inherited = reusableBytes(reusable, block.nodes, block.type);
    nodes = takeFromNodes(nodes, block, Math.max(0, block.size - inherited));
  }
  const given = setBlocks({ ...state, nodes }, uid, container.name, blocks);
  return {
    ok: true,
    state: shrinkInitBlocks(given, pod, container, blocks),
    reusable: updateReusable(reusable, pod, container, blocks),
    given: true,
  };
}

type Chosen =
  | { readonly ok: true; readonly nodes: NumaMask }
  | { readonly ok: false; readonly problem: string };

/** The place itself, the best one when none was found, or a wider one around it when it has not enough. */
function choosePlace(
  state: MemoryState,
  reusable: ReusableMemory,
  requests: MemoryRequests,
  place: TopologyHint,
): Chosen {
  const fail = (problem: string): Chosen => ({ ok: false, problem });
  const start = place.nodes === undefined ? bestOf(listPlaces(state, reusable, requests)) : place;
  if (start?.nodes === undefined)
    return fail('failed to get the default NUMA affinity, no NUMA nodes with enough memory is available');
  if (place.preferred && !start.preferred) return fail('failed to find the default preferred hint');
  const inner = start.nodes;
  const isWider = (one: TopologyHint): boolean => ((one.nodes ?? 0) & inner) === inner;
  const found = isEnough(state, requests, inner)
    ? start
    : bestOf(listPlaces(state, reusable, requests).filter(isWider));
  if (found?.nodes === undefined)
    return fail('failed to find NUMA nodes to extend the current topology hint');
  if (start.preferred && !found.preferred) return fail('failed to find the extended preferred hint');
  if (violatesGroups(state, nodesOf(found.nodes)))
    return fail('preferred hint violates NUMA node allocation');
  return { ok: true, nodes: found.nodes };
}

function isEnough(state: MemoryState, requests: MemoryRequests, place: NumaMask): boolean {
  return [...requests].every(([type, bytes]) => sumOf(state, nodesOf(place), type, 'free') >= bytes);
}

function bestOf(hints: readonly TopologyHint[]): TopologyHint | undefined {
  const compare = (a: TopologyHint, b: TopologyHint): number =>
    Number(b.preferred) - Number(a.preferred) || compareWidth(a.nodes ?? 0, b.nodes ?? 0);
  return hints.toSorted(compare)[0];
}
