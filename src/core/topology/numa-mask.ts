/**
 * Sets of NUMA nodes, as bits of a number: bit 3 is node 3. A set of 31 nodes
 * fits; subsets are enumerated, so that many are out of reach anyway.
 */

export type NumaMask = number;

/** Nodes with higher numbers cannot be in a set. */
export const HIGHEST_NUMA_NODE = 30;

/** Whether it can be in a set. */
export function isNumaNode(node: number): boolean {
  return Number.isInteger(node) && node >= 0 && node <= HIGHEST_NUMA_NODE;
}

/** Numbers that are no node of a set are left out. */
export function toNumaMask(nodes: Iterable<number>): NumaMask {
  let mask = 0;
  for (const node of nodes) if (isNumaNode(node)) mask |= 1 << node;
  return mask;
}

/** Ascending. */
export function nodesOf(mask: NumaMask): number[] {
  const nodes: number[] = [];
  for (let node = 0; node <= HIGHEST_NUMA_NODE; node++) if ((mask & (1 << node)) !== 0) nodes.push(node);
  return nodes;
}

export function countNodes(mask: NumaMask): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Fewer nodes first; of as many, the one with lower numbers. */
export function compareWidth(a: NumaMask, b: NumaMask): number {
  return countNodes(a) - countNodes(b) || a - b;
}

/** Every set of some of these nodes but the empty one: smaller first, of one size in ascending order of numbers. */
export function* subsetsOf(nodes: readonly number[]): Generator<NumaMask> {
  const ascending = [...nodes].sort((a, b) => a - b);
  for (let size = 1; size <= ascending.length; size++) yield* subsetsOfSize(ascending, size);
}

/** Every set of `size` of these nodes, in ascending order of numbers. */
function* subsetsOfSize(nodes: readonly number[], size: number, taken = 0): Generator<NumaMask> {
  if (size === 0) {
    yield taken;
    return;
  }
  for (const [index, node] of nodes.entries())
    yield* subsetsOfSize(nodes.slice(index + 1), size - 1, taken | (1 << node));
}
