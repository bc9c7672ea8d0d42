import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exited, instance, NOW_MS, observe } from '../../../test/samples/sample-pods.ts';
import { toPodUid } from '../model/ids.ts';
import type { ObservedContainer, ObservedPod } from '../model/observed-pod.ts';
import { type DeadContainerPolicy, findSurplus, KEEP_ONE } from './dead-containers.ts';

const dead = (name: string, ageSeconds: number): ObservedContainer =>
  exited(name, 1, { id: `${name}${ageSeconds}`, createdAtMs: NOW_MS - ageSeconds * 1000 });
const pod = (uid: string, ...containers: ObservedContainer[]): ObservedPod => ({
  ...observe(containers),
  uid: toPodUid(uid),
});
const surplus = (pods: readonly ObservedPod[], policy: Partial<DeadContainerPolicy>): string[] =>
  [...findSurplus(pods, { ...KEEP_ONE, maxPerContainer: -1, ...policy }, NOW_MS)].sort();

describe('findSurplus', () => {
  const pods = [pod('x', dead('a', 1), dead('a', 2), dead('a', 9)), pod('y', dead('b', 3), dead('b', 4))];

  const table: readonly (readonly [string, Partial<DeadContainerPolicy>, string[]])[] = [
    ['nothing without a bound', { maxTotal: -1 }, []],
    ['nothing when all fit', { maxTotal: 5 }, []],
    ['cuts each to its fair share', { maxTotal: 4 }, ['a9']],
    ['then drops the oldest', { maxTotal: 3 }, ['a2', 'a9', 'b4']],
    ['leaves one, the youngest', { maxTotal: 1 }, ['a2', 'a9', 'b3', 'b4']],
    ['leaves none', { maxTotal: 0 }, ['a1', 'a2', 'a9', 'b3', 'b4']],
    ['counts only what each container keeps by itself', { maxTotal: 2, maxPerContainer: 1 }, []],
    ['does not count what is too young', { maxTotal: 3, minAgeMs: 1_500 }, ['a9', 'b4']],
  ];
  for (const [name, policy, expected] of table) {
    it(name, () => assert.deepEqual(surplus(pods, policy), expected));
  }

  it('never names what may run', () => {
    const running = pod('x', instance('a', 'running'), instance('b', 'unknown'));
    assert.deepEqual(surplus([running], { maxTotal: 0 }), []);
  });
});
