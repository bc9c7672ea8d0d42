/**
 * One place for all resources of a container: of all ways to take one hint
 * for each resource, the intersection of the best. What counts as better is a
 * total order, so it is enough to know which intersections can be reached;
 * their number is bounded by the subsets of the nodes, that of the ways is not.
 */
import { compareWidth, countNodes, type NumaMask, nodesOf, toNumaMask } from './numa-mask.ts';
import type { ResourceHints, TopologyHint } from './topology-hint.ts';
import type { NumaLayout, TopologyPolicy } from './topology-policy.ts';

export interface MergedHint {
  readonly hint: TopologyHint;
  /** Whether the policy lets the container in with it. */
  readonly admit: boolean;
}

type HintList = readonly TopologyHint[];

const NO_PREFERENCE: HintList = [{ nodes: undefined, preferred: true }];
const IMPOSSIBLE: HintList = [{ nodes: undefined, preferred: false }];

/** `hints` has one entry for each provider; undefined or empty when it has nothing to say. */
export function mergeHints(
  hints: readonly (ResourceHints | undefined)[],
  numa: NumaLayout,
  policy: TopologyPolicy,
): MergedHint {
  const lists = toLists(hints);
  const everything = toNumaMask(numa.nodes);
  switch (policy.name) {
    case 'none':
      return { hint: { nodes: undefined, preferred: false }, admit: true };
    case 'best-effort':
      return { hint: findBest(lists, everything, orderOf(numa, policy)), admit: true };
    case 'restricted': {
      const hint = findBest(lists, everything, orderOf(numa, policy));
      return { hint, admit: hint.preferred };
    }
    case 'single-numa-node': {
      const { nodes, preferred } = findBest(lists.map(onlySingle), everything, compareWidth);
      return { hint: { nodes: nodes === everything ? undefined : nodes, preferred }, admit: preferred };
    }
  }
}

function toLists(hints: readonly (ResourceHints | undefined)[]): HintList[] {
  return hints.flatMap((ofProvider): HintList[] => {
    if (ofProvider === undefined || ofProvider.size === 0) return [NO_PREFERENCE];
    return [...ofProvider.values()].map((list) => {
      if (list === undefined) return NO_PREFERENCE;
      return list.length === 0 ? IMPOSSIBLE : list;
    });
  });
}

function onlySingle(list: HintList): HintList {
  return list.filter(({ nodes, preferred }) => preferred && (nodes === undefined || countNodes(nodes) === 1));
}

type MaskOrder = (a: NumaMask, b: NumaMask) => number;

function findBest(lists: readonly HintList[], everything: NumaMask, order: MaskOrder): TopologyHint {
  const preferred = findPreferred(lists, everything);
  if (preferred.length > 0) return { nodes: smallest(preferred, order), preferred: true };
  const reached = findReached(lists, everything);
  if (reached.length === 0) return { nodes: everything, preferred: false };
  return { nodes: smallest(reached, orderNonPreferred(widthToReach(lists), order)), preferred: false };
}

/** No resource has named nodes so far. */
const OPEN = -1;

/** Places that are a preferred hint of every resource that names nodes. */
function findPreferred(lists: readonly HintList[], everything: NumaMask): NumaMask[] {
  let places: ReadonlySet<NumaMask> = new Set([OPEN]);
  for (const list of lists) {
    const next = new Set<NumaMask>();
    for (const { nodes, preferred } of list) {
      if (!preferred) continue;
      if (nodes === undefined) for (const place of places) next.add(place);
      else if (places.has(OPEN) || places.has(nodes)) next.add(nodes);
    }
    places = next;
  }
  return [...places]
    .map((place) => (place === OPEN ? everything : place & everything))
    .filter((place) => place !== 0);
}

/** Places in which every resource has a part of one of its hints. */
function findReached(lists: readonly HintList[], everything: NumaMask): NumaMask[] {
  let places: ReadonlySet<NumaMask> = new Set([everything]);
  for (const list of lists) {
    const masks = new Set(list.map(({ nodes }) => nodes ?? everything));
    places = new Set([...places].flatMap((place) => [...masks].map((mask) => place & mask)));
  }
  return [...places].filter((place) => place !== 0);
}

/** As many nodes as the resource needs that needs most of them: fewer would be too few for it. */
function widthToReach(lists: readonly HintList[]): number {
  const widths = lists.map((list) => {
    const own = list.flatMap(({ nodes }) => (nodes === undefined ? [] : [countNodes(nodes)]));
    return own.length === 0 ? 0 : Math.min(...own);
  });
  return Math.max(0, ...widths);
}

/** First those of exactly that width, then the wider of the narrower ones, then the narrower of the wider ones. */
function orderNonPreferred(width: number, order: MaskOrder): MaskOrder {
  const rank = (mask: NumaMask): number => Math.sign(Math.abs(countNodes(mask) - width));
  return (a, b) => {
    const [widthA, widthB] = [countNodes(a), countNodes(b)];
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    const [aboveA, aboveB] = [widthA > width, widthB > width];
    if (aboveA !== aboveB) return aboveA ? 1 : -1;
    if (widthA !== widthB) return aboveA ? widthA - widthB : widthB - widthA;
    return order(a, b);
  };
}

/** The better of two places first: fewer nodes, then nearer ones if that is asked for, then lower numbers. */
function orderOf(numa: NumaLayout, { preferClosest }: TopologyPolicy): MaskOrder {
  if (!preferClosest) return compareWidth;
  return (a, b) =>
    countNodes(a) - countNodes(b) || averageDistance(numa, a) - averageDistance(numa, b) || a - b;
}

function averageDistance(numa: NumaLayout, mask: NumaMask): number {
  const nodes = nodesOf(mask);
  const distances = nodes.flatMap((from) => nodes.map((to) => numa.distance(from, to) ?? 0));
  return distances.reduce((sum, one) => sum + one, 0) / Math.max(1, distances.length);
}

function smallest(masks: readonly NumaMask[], order: MaskOrder): NumaMask {
  return masks.reduce((best, mask) => (order(mask, best) < 0 ? mask : best));
}
