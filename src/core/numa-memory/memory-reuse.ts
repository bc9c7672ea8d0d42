/**
 * What init containers of the pod that is being admitted leave to those after
 * them: memory of the same nodes need not be taken twice. Known only while
 * the pod is admitted.
 */
import type { Container, Pod } from '../api/pod.ts';
import { toPodUid } from '../model/ids.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { toNumaMask } from '../topology/numa-mask.ts';
import { type MemoryBlock, type MemoryState, setBlocks } from './memory-state.ts';

/** Bytes by nodes and kind. */
export type ReusableMemory = ReadonlyMap<string, number>;

export const NOTHING_REUSABLE: ReusableMemory = new Map();

export function reusableBytes(reusable: ReusableMemory, nodes: Iterable<number>, type: string): number {
  return reusable.get(keyOf(nodes, type)) ?? 0;
}

/** After the container was given these blocks. */
export function updateReusable(
  reusable: ReusableMemory,
  pod: Pod,
  container: Pick<Container, 'name'>,
  blocks: readonly MemoryBlock[],
): ReusableMemory {
  const isInit = initContainersOf(pod).some((one) => one.name === container.name && !isSidecar(one));
  const next = new Map(reusable);
  for (const { nodes, type, size } of blocks) {
    const key = keyOf(nodes, type);
    const before = next.get(key) ?? 0;
    next.set(key, isInit ? Math.max(before, size) : Math.max(0, before - size));
  }
  return next;
}

/** What the container took over from init containers before it, these no longer have. */
export function shrinkInitBlocks(
  state: MemoryState,
  pod: Pod,
  container: Pick<Container, 'name'>,
  blocks: readonly MemoryBlock[],
): MemoryState {
  const uid = toPodUid(pod.metadata.uid);
  let next = state;
  for (const block of blocks) {
    let left = block.size;
    for (const init of initContainersOf(pod)) {
      if (init.name === container.name) break;
      if (isSidecar(init)) continue;
      const own = next.assigned.get(uid)?.get(init.name);
      if (own === undefined || left === 0) continue;
      const shrunk = own.map((one) => {
        if (one.type !== block.type || toNumaMask(one.nodes) !== toNumaMask(block.nodes)) return one;
        const part = Math.min(left, one.size);
        left -= part;
        return { ...one, size: one.size - part };
      });
      next = setBlocks(next, uid, init.name, shrunk);
    }
  }
  return next;
}

function keyOf(nodes: Iterable<number>, type: string): string {
  return `${toNumaMask(nodes)}/${type}`;
}
