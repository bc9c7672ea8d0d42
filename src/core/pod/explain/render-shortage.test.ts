import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderShortage } from './render-shortage.ts';

describe('renderShortage', () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    [
      "Pod was rejected: Node didn't have enough resource: memory, requested: 966367641600, used: 1073741824, capacity: 24159191040",
      'it asks for 900Gi of memory, the node has 22.5Gi, of which 1Gi is taken',
    ],
    [
      "Node didn't have enough resource: cpu, requested: 2500, used: 0, capacity: 2000",
      'it asks for 2500m of cpu, the node has 2, of which 0 is taken',
    ],
    [
      'no set of running pods found to reclaim resources: [(res: memory, q: 941197705216), (res: cpu, q: 1000), ]',
      'the node is short of 876.6Gi of memory and 1 of cpu, and no pod can make way',
    ],
    [
      "Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110",
      'it asks for 1 of pods, the node has 110, of which 110 is taken',
    ],
    [
      'Pod was rejected: Allocate failed due to not enough cpus available to satisfy request: requested=3, available=1, which is unexpected',
      'it asks for 3 CPUs of its own, of which 1 can be given',
    ],
    [
      'Allocate failed due to requested number of devices unavailable for x.io/dev. Requested: 2, Available: 0, which is unexpected',
      'it asks for 2 of x.io/dev, of which 0 can be given',
    ],
    ['Predicate NodeAffinity failed', undefined],
  ];
  for (const [message, words] of rows)
    it(`says ${words ?? 'nothing about something else'}`, () => assert.equal(renderShortage(message), words));
});
