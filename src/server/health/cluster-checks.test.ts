import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListWatchHealth } from '../../ports/cluster/list-watch.ts';
import { type ClusterSigns, toClusterChecks } from './cluster-checks.ts';

const heard = (lastEventAgeMs: number, synced = true, failures = 1): (() => ListWatchHealth) => {
  return () => ({ lastEventAgeMs, synced, failures, relists: 0, reconnects: 0 });
};

function ask(name: string, nowMs: number, signs: Partial<ClusterSigns>): string | undefined {
  const all = { watches: {}, leaseRenewedAtMs: () => undefined, leaseDurationMs: 40_000, startedAtMs: 0 };
  const checks = toClusterChecks({ ...all, ...signs }, { steady: () => nowMs });
  const found = checks.find((each) => each.name === name);
  assert.ok(found);
  return found.check();
}

describe('toClusterChecks', () => {
  it('is well while bookmarks come', () => {
    const watches = { pods: heard(61_000), node: heard(150_000) };
    assert.equal(ask('api-watch', 0, { watches }), undefined);
  });

  it('does not take a quiet cluster for a lost one', () => {
    assert.equal(ask('api-watch', 0, { watches: { pods: heard(900_000, true, 0) } }), undefined);
  });

  it('names each watch that is silent, and one that never spoke', () => {
    const watches = { pods: heard(150_001), node: heard(200_000, false), more: heard(0) };
    assert.equal(
      ask('api-watch', 0, { watches }),
      'no event about pods for 150s; no event about node for 200s, and never before',
    );
  });

  const leases: readonly (readonly [string, number, number | undefined, string | undefined])[] = [
    ['has its duration from the start to be taken', 40_000, undefined, undefined],
    [
      'was never renewed',
      40_001,
      undefined,
      'the node lease was not renewed since the start, for 40s; it lasts 40s',
    ],
    ['is renewed', 100_000, 60_000, undefined],
    ['has run out', 101_500, 60_000, 'the node lease was not renewed for 41s; it lasts 40s'],
  ];
  for (const [what, nowMs, renewedAtMs, expected] of leases)
    it(`says that the lease ${what}`, () => {
      assert.equal(ask('lease', nowMs, { leaseRenewedAtMs: () => renewedAtMs }), expected);
    });
});
