import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { emptyPod, exited, instance, observe, sandbox, UID } from '../../../test/samples/sample-pods.ts';
import { toSandboxId } from './ids.ts';
import { compareContainers, compareSandboxes, hasRunning, newestInstance } from './observed-pod.ts';

const small = fc.nat(2);

describe('compareSandboxes', () => {
  it('puts the higher attempt first, then the later one, then the smaller id', () => {
    const box = fc
      .tuple(small, small, small)
      .map(([attempt, createdAtMs, id]) => sandbox({ attempt, createdAtMs, id: toSandboxId(`s${id}`) }));
    fc.assert(
      fc.property(fc.uniqueArray(box, { selector: ({ id }) => id }), (boxes) => {
        const sorted = boxes.toSorted(compareSandboxes);
        const keys = sorted.map(({ attempt, createdAtMs, id }) => `${9 - attempt}${9 - createdAtMs}${id}`);
        assert.deepEqual(keys, keys.toSorted());
      }),
    );
  });
});

describe('compareContainers', () => {
  const sort = (...all: [id: string, createdAtMs: number, count?: number][]): string[] =>
    all
      .map(([id, createdAtMs, count = 0]) => instance('a', 'exited', { id, createdAtMs, count }))
      .sort(compareContainers)
      .map(({ id }) => id);

  it('puts the later one first, then the smaller id', () =>
    assert.deepEqual(sort(['b', 1], ['c', 2], ['a', 1]), ['c', 'a', 'b']));

  it('puts a restart before what it replaced, also when the clock was set back in between', () =>
    assert.deepEqual(sort(['first', 9, 0], ['third', 3, 2], ['second', 2, 1]), ['third', 'second', 'first']));
});

describe('newestInstance', () => {
  it('finds the first of a name, in whichever sandbox', () => {
    const pod = observe([
      instance('b', 'running'),
      exited('a', 1, { id: 'a2', sandbox: 'other' }),
      instance('a', 'running'),
    ]);
    assert.deepEqual([newestInstance(pod, 'a')?.id, newestInstance(pod, 'c')], ['a2', undefined]);
  });

  it('passes over one that was made late, in a sandbox that was replaced', () => {
    const late = instance('a', 'created', { id: 'late', sandbox: 'other' });
    const running = instance('a', 'running', { id: 'runs' });
    assert.equal(newestInstance(observe([late, running]), 'a')?.id, 'runs');
    assert.equal(newestInstance(observe([late]), 'a')?.id, 'late');
    const here = instance('a', 'created', { id: 'here' });
    assert.equal(newestInstance(observe([here, running]), 'a')?.id, 'here');
  });
});

describe('hasRunning', () => {
  const dead = [sandbox({ ready: false })];
  const rows: [string, Parameters<typeof observe>, boolean][] = [
    ['a ready sandbox', [[], [sandbox()]], true],
    ['a dead sandbox', [[], dead], false],
    ['a running container', [[instance('a', 'running')], dead], true],
    ['an unknown container', [[instance('a', 'unknown')], dead], true],
    ['half-made and ended containers', [[instance('a', 'created'), exited('b', 0)], dead], false],
  ];
  for (const [criterion, facts, expected] of rows) {
    it(`is ${expected} with ${criterion}`, () => assert.equal(hasRunning(observe(...facts)), expected));
  }

  it('is false for a pod unknown to the runtime', () => assert.equal(hasRunning(emptyPod(UID)), false));
});
