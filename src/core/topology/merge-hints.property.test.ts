/**
 * The merge against an exhaustive search: every way to take one hint of each
 * resource, compared one after the other by the rules as they are written down.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { mergeHints } from './merge-hints.ts';
import { compareWidth, countNodes, nodesOf, subsetsOf, toNumaMask } from './numa-mask.ts';
import type { TopologyHint } from './topology-hint.ts';
import type { NumaLayout, TopologyPolicy, TopologyPolicyName } from './topology-policy.ts';

const RUNS = Number(process.env['CASES'] ?? 300);

const anyHint = fc.record({
  nodes: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
  preferred: fc.boolean(),
});
const anyList = fc.option(fc.array(anyHint, { maxLength: 5 }), { nil: undefined });
const anyProvider = fc.option(
  fc.dictionary(fc.constantFrom('cpu', 'memory', 'gpu'), anyList, { maxKeys: 2 }),
  { nil: undefined },
);
const anyNuma = fc
  .record({
    size: fc.integer({ min: 1, max: 4 }),
    far: fc.array(fc.integer({ min: 11, max: 30 }), { minLength: 16, maxLength: 16 }),
  })
  .map(
    ({ size, far }): NumaLayout => ({
      nodes: Array.from({ length: size }, (_, node) => node),
      distance: (from, to) => (from === to ? 10 : far[from * 4 + to]),
    }),
  );
const anyPolicy = fc.record({
  name: fc.constantFrom<TopologyPolicyName>('best-effort', 'restricted', 'single-numa-node'),
  scope: fc.constant<'pod'>('pod'),
  preferClosest: fc.boolean(),
});

/** Every way to take one of each. */
function* combinations(lists: readonly (readonly TopologyHint[])[]): Generator<TopologyHint[]> {
  const [first, ...rest] = lists;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const hint of first) for (const others of combinations(rest)) yield [hint, ...others];
}

function searchAll(
  given: readonly (readonly TopologyHint[])[],
  numa: NumaLayout,
  { name, preferClosest }: TopologyPolicy,
): { hint: TopologyHint; admit: boolean } {
  const all = toNumaMask(numa.nodes);
  const single = name === 'single-numa-node';
  const lists = single
    ? given.map((list) =>
        list.filter((one) => one.preferred && (one.nodes === undefined || countNodes(one.nodes) === 1)),
      )
    : given;
  const narrowest = lists.map((list) =>
    list.flatMap(({ nodes }) => (nodes === undefined ? [] : [countNodes(nodes)])),
  );
  const width = Math.max(0, ...narrowest.map((counts) => (counts.length === 0 ? 0 : Math.min(...counts))));
  const average = (mask: number): number => {
    const nodes = nodesOf(mask);
    const sum = nodes.flatMap((a) => nodes.map((b) => numa.distance(a, b) ?? 0)).reduce((x, y) => x + y, 0);
    return sum / nodes.length ** 2;
  };
  const closer = (a: number, b: number): boolean => {
    if (!preferClosest || single || countNodes(a) !== countNodes(b)) return compareWidth(a, b) < 0;
    return average(a) === average(b) ? a < b : average(a) < average(b);
  };
  const better = (a: TopologyHint, b: TopologyHint): boolean => {
    if (a.preferred !== b.preferred) return a.preferred;
    const [maskA, maskB] = [a.nodes ?? 0, b.nodes ?? 0];
    const [countA, countB] = [countNodes(maskA), countNodes(maskB)];
    if (a.preferred) return closer(maskA, maskB);
    if (countB > width) return countA <= width || closer(maskA, maskB);
    if (countB === width) return countA === width && closer(maskA, maskB);
    if (countA > width) return false;
    if (countA !== countB) return countA > countB;
    return closer(maskA, maskB);
  };
  let best: TopologyHint | undefined;
  for (const way of combinations(lists)) {
    const named = way.flatMap(({ nodes }) => (nodes === undefined ? [] : [nodes]));
    const nodes = named.reduce((mask, one) => mask & one, all);
    const preferred = way.every((one) => one.preferred) && named.every((one) => one === named[0]);
    if (nodes !== 0 && (best === undefined || better({ nodes, preferred }, best)))
      best = { nodes, preferred };
  }
  best ??= { nodes: all, preferred: false };
  if (single && best.nodes === all) best = { nodes: undefined, preferred: best.preferred };
  return { hint: best, admit: name === 'best-effort' || best.preferred };
}

describe('mergeHints', () => {
  it('finds what a search through all combinations finds', () => {
    fc.assert(
      fc.property(fc.array(anyProvider, { maxLength: 3 }), anyNuma, anyPolicy, (providers, numa, policy) => {
        const lists = providers.flatMap((provider): TopologyHint[][] => {
          if (provider === undefined || Object.keys(provider).length === 0)
            return [[{ nodes: undefined, preferred: true }]];
          return Object.values(provider).map((list) => {
            if (list === undefined) return [{ nodes: undefined, preferred: true }];
            return list.length === 0 ? [{ nodes: undefined, preferred: false }] : list;
          });
        });
        const hints = providers.map((provider) => provider && new Map(Object.entries(provider)));
        assert.deepEqual(mergeHints(hints, numa, policy), searchAll(lists, numa, policy));
      }),
      { numRuns: RUNS },
    );
  });

  it('lets every pod in and names no place without a policy', () => {
    const policy: TopologyPolicy = { name: 'none', scope: 'container', preferClosest: false };
    const merged = mergeHints([new Map([['cpu', []]])], { nodes: [0], distance: () => 10 }, policy);
    assert.deepEqual(merged, { hint: { nodes: undefined, preferred: false }, admit: true });
  });
});

describe('subsetsOf', () => {
  it('has smaller sets first, and those of one size in ascending order of their numbers', () => {
    assert.deepEqual([...subsetsOf([2, 0, 1])].map(nodesOf), [
      [0],
      [1],
      [2],
      [0, 1],
      [0, 2],
      [1, 2],
      [0, 1, 2],
    ]);
  });
});
