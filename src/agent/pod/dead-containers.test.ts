import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { exited, observe } from '../../../test/samples/sample-pods.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { KEEP_ONE } from '../../core/pod/dead-containers.ts';
import { DeadContainers } from './dead-containers.ts';

describe('DeadContainers', () => {
  const young = toPodUid('young');
  const old = toPodUid('old');
  const listed = new Map([
    [young, { ...observe([exited('a', 1, { id: 'a1', createdAtMs: 20 })]), uid: young }],
    [old, { ...observe([exited('a', 1, { id: 'a2', createdAtMs: 10 })]), uid: old }],
  ]);

  it('names the pods that have too many and what has to go', () => {
    const dead = new DeadContainers(new FakeClock(), { ...KEEP_ONE, maxTotal: 1 });
    assert.deepEqual(dead.review(listed), [old]);
    assert.deepEqual([...dead.facts.surplus], ['a2']);
    assert.deepEqual(dead.review(new Map()), []);
    assert.equal(dead.facts.surplus.size, 0);
  });

  it('counts nothing without a bound', () => {
    assert.deepEqual(new DeadContainers(new FakeClock(), KEEP_ONE).review(listed), []);
  });
});
