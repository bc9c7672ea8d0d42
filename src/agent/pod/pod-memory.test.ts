import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exited, instance, NOW_MS, observe, samplePod, sandbox } from '../../../test/samples/sample-pods.ts';
import type { Action } from '../../core/model/actions.ts';
import { type ActionResult, done } from './perform-action.ts';
import { PodMemory } from './pod-memory.ts';

const START = { kind: 'start-container', container: { name: 'main' } } as Action;
const UNMOUNT: Action = { kind: 'unmount-volumes' };
const FAILED: ActionResult = {
  kind: 'failed',
  reason: 'ErrImagePull',
  message: 'no',
  retryAtMs: NOW_MS + 10_000,
  endsPass: false,
};

describe('PodMemory', () => {
  it('notices what is new in the runtime, and nothing twice', () => {
    const memory = new PodMemory();
    const steps = [
      observe([], []),
      observe([]),
      observe([instance('main', 'running')]),
      observe([exited('main', 1)]),
      observe([exited('main', 1)], [sandbox({ ready: false })]),
    ];
    for (const step of steps) {
      assert.equal(memory.noticeChange(step), true);
      assert.equal(memory.noticeChange({ ...step }), false);
    }
  });

  it('keeps the failure of a start until the container has started', () => {
    const memory = new PodMemory();
    memory.note(START, FAILED, NOW_MS);
    memory.noteWaiting(new Map([['main', { reason: 'ErrImagePull', message: 'no' }]]));
    const { reason, message, retryAtMs } = FAILED as Extract<ActionResult, { kind: 'failed' }>;
    assert.deepEqual(memory.startFailures.get('main'), { reason, message, failedAtMs: NOW_MS, retryAtMs });
    assert.equal(memory.podFailure, undefined);
    memory.noteWaiting(new Map());
    assert.equal(memory.waiting.get('main')?.reason, 'ErrImagePull');
    memory.note(START, done, NOW_MS);
    assert.deepEqual([memory.startFailures.size, memory.waiting.size], [0, 0]);
  });

  it('a failure with one image says nothing about another', () => {
    const memory = new PodMemory();
    const podWith = (image: string) => samplePod({ containers: [{ name: 'main', image }] });
    const start = { kind: 'start-container', container: { name: 'main', image: 'app:1' } } as Action;
    memory.note(start, FAILED, NOW_MS);
    memory.noteWaiting(new Map([['main', { reason: 'ImagePullBackOff', message: 'app:1' }]]));
    memory.forgetOtherImages(podWith('app:1'));
    assert.deepEqual([memory.startFailures.size, memory.waiting.size], [1, 1]);
    memory.forgetOtherImages(podWith('app:2'));
    assert.deepEqual([memory.startFailures.size, memory.waiting.size], [0, 0]);
    memory.noteWaiting(new Map([['main', { reason: 'CrashLoopBackOff', message: '' }]]));
    memory.forgetOtherImages(podWith('app:3'));
    assert.equal(memory.waiting.size, 1, 'a crash loop was no failed start');
  });

  it('forgets failures at request, and keeps why containers wait', () => {
    const memory = new PodMemory();
    memory.note(START, FAILED, NOW_MS);
    memory.note(UNMOUNT, FAILED, NOW_MS);
    memory.noteWaiting(new Map([['main', { reason: 'ErrImagePull', message: '' }]]));
    memory.forgetFailures();
    assert.deepEqual(
      [memory.startFailures.size, memory.podFailure, memory.failures(UNMOUNT)],
      [0, undefined, 0],
    );
    assert.equal(memory.waiting.size, 1);
  });

  it('the failure of any other step is one of the pod, and the next success ends it', () => {
    const memory = new PodMemory();
    memory.note(UNMOUNT, FAILED, NOW_MS);
    assert.deepEqual(memory.podFailure, {
      step: 'unmount-volumes',
      message: 'no',
      failedAtMs: NOW_MS,
      retryAtMs: NOW_MS + 10_000,
    });
    memory.note(START, done, NOW_MS);
    assert.notEqual(memory.podFailure, undefined);
    memory.note(UNMOUNT, done, NOW_MS);
    assert.equal(memory.podFailure, undefined);
  });

  it('counts the failures of each step in a row, whatever the steps before it do', () => {
    const memory = new PodMemory();
    const remove = { kind: 'remove-container', name: 'main' } as Action;
    for (const failures of [0, 1, 2]) {
      assert.equal(memory.failures(remove), failures);
      memory.note(UNMOUNT, done, NOW_MS);
      memory.note(remove, FAILED, NOW_MS);
    }
    memory.note(remove, done, NOW_MS);
    assert.equal(memory.failures(remove), 0);
  });
});
