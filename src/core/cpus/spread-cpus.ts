/**
 * CPUs in equal parts from several NUMA nodes, where one alone has not
 * enough: of the smallest number of nodes that can, those after which the
 * free CPUs are spread most evenly over the machine.
 */
import { type CpuSet, NO_CPUS } from './cpu-set.ts';
import { type CpuTopology, cpusIn } from './cpu-topology.ts';
import { FreeCpus } from './free-cpus.ts';
import { notEnough, type Taken, type TakeOptions, takePacked } from './take-cpus.ts';

/** Free CPUs by node. */
type FreeCounts = ReadonlyMap<number, number>;

interface Split {
  readonly nodes: readonly number[];
  /** What each of them gives. */
  readonly share: number;
  /** The nodes that give the rest, one group after the other in turn. */
  readonly extra: readonly number[];
  /** How unevenly the free CPUs are spread afterwards. */
  readonly unevenness: number;
}

/** `groupSize` CPUs are only given together: all threads of a core, or 1. */
export function takeSpread(
  topology: CpuTopology,
  available: CpuSet,
  count: number,
  groupSize: number,
  options: TakeOptions,
): Taken {
  const packed = { ...options, byCache: false };
  if (count <= 0) return { ok: true, cpus: NO_CPUS };
  if (count % groupSize !== 0) return takePacked(topology, available, count, packed);
  const free = new FreeCpus(topology, available, count);
  if (free.free.size < count) return notEnough(count, available);
  const split = findSplit(free, groupSize);
  if (split === undefined) return takePacked(topology, available, count, packed);
  const takeFrom = (node: number, howMany: number): void => {
    const own = cpusIn(topology, free.free, 'node', new Set([node]));
    const taken = takePacked(topology, own, howMany, packed);
    if (taken.ok) free.take(taken.cpus);
  };
  for (const node of split.nodes) takeFrom(node, split.share);
  for (const node of inTurns(split.extra, free.needed / groupSize, (one) => freeOn(free, one) >= groupSize))
    takeFrom(node, groupSize);
  return { ok: true, cpus: free.taken };
}

function findSplit(free: FreeCpus, groupSize: number): Split | undefined {
  const counts: FreeCounts = new Map(
    free.groups(free.pathTo('node')).map(({ id, cpus }) => [id, cpus.length]),
  );
  const [fewest, most] = nodesNeeded(free, counts.size, groupSize);
  for (let size = fewest; size <= most; size++) {
    let best: Split | undefined;
    for (const nodes of choose([...counts.keys()], size)) {
      if (best?.unevenness === 0) break;
      const split = splitOver(counts, nodes, free.needed, groupSize);
      if (split !== undefined && (best === undefined || split.unevenness < best.unevenness)) best = split;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

/** At least so many nodes as their usual size asks for, at most one for each group. */
function nodesNeeded(
  { topology, needed }: FreeCpus,
  nodesWithFree: number,
  groupSize: number,
): [fewest: number, most: number] {
  const groups = Math.ceil(topology.cpus.size / groupSize);
  const perNode = Math.ceil(groups / Math.max(1, topology.counts.node));
  const wanted = Math.ceil(needed / groupSize);
  return [Math.ceil(wanted / perNode), Math.min(wanted, nodesWithFree)];
}

/** Undefined when these nodes cannot give equal parts. */
function splitOver(
  counts: FreeCounts,
  nodes: readonly number[],
  needed: number,
  groupSize: number,
): Split | undefined {
  const freeOf = (node: number): number => counts.get(node) ?? 0;
  const groups = nodes.reduce((sum, node) => sum + Math.floor(freeOf(node) / groupSize), 0);
  if (groups * groupSize < needed) return undefined;
  const share = Math.floor(needed / nodes.length / groupSize) * groupSize;
  if (nodes.some((node) => freeOf(node) < share)) return undefined;
  const after = new Map(
    [...counts].map(([node, free]) => [node, nodes.includes(node) ? free - share : free]),
  );
  const rest = needed - share * nodes.length;
  if (rest === 0) return { nodes, share, extra: [], unevenness: deviation([...after.values()]) };
  const candidates = nodes.filter((node) => (after.get(node) ?? 0) >= groupSize);
  let best: Split | undefined;
  for (let size = candidates.length; size >= 1; size--)
    for (const extra of choose(candidates, size)) {
      const left = giveRest(after, extra, rest, groupSize);
      const unevenness = left === undefined ? undefined : deviation([...left.values()]);
      if (unevenness !== undefined && (best === undefined || unevenness < best.unevenness))
        best = { nodes, share, extra, unevenness };
    }
  return best;
}

/** What is free after the rest was taken from these nodes in turn; undefined when they have not enough. */
function giveRest(
  after: FreeCounts,
  extra: readonly number[],
  rest: number,
  groupSize: number,
): FreeCounts | undefined {
  const left = new Map(after);
  const canGive = (node: number): boolean => (left.get(node) ?? 0) >= groupSize;
  let given = 0;
  for (const node of inTurns(extra, rest / groupSize, canGive)) {
    left.set(node, (left.get(node) ?? 0) - groupSize);
    given += groupSize;
  }
  return given === rest ? left : undefined;
}

/** Nodes in turn, leaving out those that cannot give, until so many turns were had or none can give. */
function* inTurns(
  nodes: readonly number[],
  turns: number,
  canGive: (node: number) => boolean,
): Generator<number> {
  let had = 0;
  while (had < turns) {
    const before = had;
    for (const node of nodes) {
      if (had >= turns || !canGive(node)) continue;
      had++;
      yield node;
    }
    if (had === before) return;
  }
}

/** Every way to choose `size` of them, in the order they are in. */
function* choose(from: readonly number[], size: number): Generator<readonly number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [index, first] of from.entries())
    for (const rest of choose(from.slice(index + 1), size - 1)) yield [first, ...rest];
}

function freeOn(free: FreeCpus, node: number): number {
  return cpusIn(free.topology, free.free, 'node', new Set([node])).size;
}

/** Standard deviation, to thousandths. */
function deviation(values: readonly number[]): number {
  const round = (value: number): number => Math.round(value * 1000) / 1000;
  const mean = round(values.reduce((sum, one) => sum + one, 0) / values.length);
  return round(Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length));
}
