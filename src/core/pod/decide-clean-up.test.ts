import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exited, instance, observe, sandbox } from '../status/sample-pods.ts';
import { decideCleanUp } from './decide-clean-up.ts';
import { toSandboxId } from './ids.ts';
import { inShort } from './sample-facts.ts';

const newest = sandbox({ id: toSandboxId('new'), attempt: 2 });
const old = sandbox({ id: toSandboxId('old'), attempt: 1, ready: false });
const at = (box: string, id: string) => ({ sandbox: box, id });

describe('decideCleanUp', () => {
  it('keeps the newest dead instance of each name beside the running one', () => {
    const observed = observe([
      instance('a', 'running', { id: 'a3' }),
      exited('a', 1, { id: 'a2' }),
      exited('b', 1, { id: 'b2' }),
      exited('a', 1, { id: 'a1' }),
      instance('b', 'created', { id: 'b1' }),
    ]);
    assert.deepEqual(inShort(decideCleanUp(observed)), ['remove a1', 'remove b1']);
  });

  it('removes logs with old instances', () => {
    const [action] = decideCleanUp(observe([exited('a', 1, { id: 'a2' }), exited('a', 1, { id: 'a1' })]));
    assert.deepEqual(action, { kind: 'remove-container', id: 'a1', name: 'a', keepLogs: false });
  });

  it('leaves what may still run', () => {
    const observed = observe([exited('a', 1), instance('a', 'unknown'), instance('a', 'running')]);
    assert.deepEqual(decideCleanUp(observed), []);
  });

  it('removes a replaced sandbox once nothing is left in it', () => {
    assert.deepEqual(inShort(decideCleanUp(observe([], [newest, old]))), ['remove-sandbox old']);
  });

  it('removes it in the same pass as its last instance, after it', () => {
    const containers = [exited('a', 1, at('new', 'a2')), exited('a', 1, at('old', 'a1'))];
    const short = inShort(decideCleanUp(observe(containers, [newest, old])));
    assert.deepEqual(short, ['remove a1', 'remove-sandbox old']);
  });

  it('keeps a sandbox that is ready or holds a kept instance', () => {
    const kept = [instance('a', 'running', at('new', 'a2')), exited('a', 1, at('old', 'a1'))];
    assert.deepEqual(decideCleanUp(observe(kept, [newest, old])), []);
    assert.deepEqual(decideCleanUp(observe([], [newest, { ...old, ready: true }])), []);
  });

  it('keeps the newest sandbox even when it is dead', () => {
    assert.deepEqual(decideCleanUp(observe([], [old])), []);
  });
});
