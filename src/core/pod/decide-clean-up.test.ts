import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inShort } from '../../../test/samples/sample-facts.ts';
import { exited, instance, NOW_MS, observe, sandbox } from '../../../test/samples/sample-pods.ts';
import { toContainerId, toSandboxId } from '../model/ids.ts';
import type { ObservedPod } from '../model/observed-pod.ts';
import { type DeadContainerFacts, type DeadContainerPolicy, KEEP_ONE } from './dead-containers.ts';
import { type CleanUpInput, decideCleanUp } from './decide-clean-up.ts';

const UNKNOWN_TEXT = 'Container is in unknown state, try killing it before removal';
const newest = sandbox({ id: toSandboxId('new'), attempt: 2 });
const old = sandbox({ id: toSandboxId('old'), attempt: 1, ready: false });
const at = (box: string, id: string) => ({ sandbox: box, id });

function cleanUp(observed: ObservedPod, more: Partial<CleanUpInput> = {}) {
  return decideCleanUp({ observed, nowMs: NOW_MS, keepsNewest: true, ...more }).actions;
}

const keeping = (policy: Partial<DeadContainerPolicy>, ...surplus: string[]): DeadContainerFacts => ({
  policy: { ...KEEP_ONE, ...policy },
  surplus: new Set(surplus.map(toContainerId)),
});

describe('decideCleanUp', () => {
  it('keeps the newest dead instance of each name beside the running one', () => {
    const observed = observe([
      instance('a', 'running', { id: 'a3' }),
      exited('a', 1, { id: 'a2' }),
      exited('b', 1, { id: 'b2' }),
      exited('a', 1, { id: 'a1' }),
      instance('b', 'created', { id: 'b1' }),
    ]);
    assert.deepEqual(inShort(cleanUp(observed)), ['remove a1', 'remove b1']);
  });

  it('does not trade the last instance that ran for one that was created and never started', () => {
    const observed = observe([
      instance('a', 'created', { id: 'a4' }),
      exited('a', 1, { id: 'a3' }),
      exited('a', 1, { id: 'a2' }),
      instance('b', 'created', { id: 'b2' }),
      instance('b', 'created', { id: 'b1' }),
    ]);
    assert.deepEqual(inShort(cleanUp(observed)), ['remove a2']);
    const none = { deadContainers: keeping({ maxPerContainer: 0 }) };
    assert.deepEqual(inShort(cleanUp(observed, none)), ['remove a2']);
    assert.deepEqual(inShort(cleanUp(observed, { keepsNewest: false })), [
      'remove a3',
      'remove a2',
      'remove b1',
    ]);
  });

  it('removes logs with old instances', () => {
    const [action] = cleanUp(observe([exited('a', 1, { id: 'a2' }), exited('a', 1, { id: 'a1' })]));
    assert.deepEqual(action, { kind: 'remove-container', id: 'a1', name: 'a', keepLogs: false });
  });

  it('leaves instances that may still run', () => {
    const observed = observe([exited('a', 1), instance('b', 'unknown'), instance('a', 'running')]);
    assert.deepEqual(cleanUp(observed), []);
  });

  it('stops a replaced instance of unknown state before it removes it', () => {
    const observed = observe([exited('a', 1), instance('a', 'unknown', { id: 'lost' })]);
    const [stop, remove] = cleanUp(observed);
    assert.deepEqual(inShort([remove].filter((action) => action !== undefined)), ['remove lost']);
    assert.equal(stop?.kind, 'stop-containers');
    assert.deepEqual(stop?.kind === 'stop-containers' ? stop.stops[0]?.message : '', UNKNOWN_TEXT);
  });

  it('removes a replaced sandbox once nothing is left in it', () => {
    assert.deepEqual(inShort(cleanUp(observe([], [newest, old]))), ['remove-sandbox old']);
  });

  it('removes it in the same pass as its last instance, after it', () => {
    const containers = [exited('a', 1, at('new', 'a2')), exited('a', 1, at('old', 'a1'))];
    const short = inShort(cleanUp(observe(containers, [newest, old])));
    assert.deepEqual(short, ['remove a1', 'remove-sandbox old']);
  });

  it('keeps a sandbox that is ready or holds a kept instance', () => {
    const kept = [instance('a', 'running', at('new', 'a2')), exited('a', 1, at('old', 'a1'))];
    assert.deepEqual(cleanUp(observe(kept, [newest, old])), []);
    assert.deepEqual(cleanUp(observe([], [newest, { ...old, ready: true }])), []);
  });

  it('keeps the newest sandbox even when it is dead', () => {
    assert.deepEqual(cleanUp(observe([], [old])), []);
  });

  const crashed = observe([
    instance('a', 'running', { id: 'a4' }),
    exited('a', 1, { id: 'a3', createdAtMs: NOW_MS - 1_000 }),
    exited('a', 1, { id: 'a2', createdAtMs: NOW_MS - 2_000 }),
    exited('a', 1, { id: 'a1', createdAtMs: NOW_MS - 3_000 }),
  ]);
  const table: readonly (readonly [string, DeadContainerFacts, string[]])[] = [
    ['keeps the configured number', keeping({ maxPerContainer: 2 }), ['remove a1']],
    ['keeps none', keeping({ maxPerContainer: 0 }), ['remove a3', 'remove a2', 'remove a1']],
    ['keeps all without a bound', keeping({ maxPerContainer: -1 }), []],
    ['neither removes nor counts what is too young', keeping({ minAgeMs: 1_500 }), ['remove a1']],
    ['removes what is too much for the node', keeping({ maxPerContainer: -1 }, 'a2', 'a4'), ['remove a2']],
  ];
  for (const [name, deadContainers, expected] of table) {
    it(name, () => assert.deepEqual(inShort(cleanUp(crashed, { deadContainers })), expected));
  }

  it('wakes when instances reach the minimum age', () => {
    const deadContainers = keeping({ minAgeMs: 2_500 });
    const { wakeUps } = decideCleanUp({
      observed: crashed,
      nowMs: NOW_MS,
      keepsNewest: true,
      deadContainers,
    });
    assert.deepEqual(wakeUps, [NOW_MS + 1_500, NOW_MS + 500]);
  });

  it('keeps the newest instance of a living pod under any policy, and of an ended one not', () => {
    const ended = observe([exited('a', 0, { id: 'a1' })]);
    const deadContainers = keeping({ maxPerContainer: 0 }, 'a1');
    assert.deepEqual(cleanUp(ended, { deadContainers }), []);
    assert.deepEqual(inShort(cleanUp(ended, { deadContainers, keepsNewest: false })), ['remove a1']);
  });
});
