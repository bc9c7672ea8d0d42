import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inShort, podFacts, podFailure } from '../../../test/samples/sample-facts.ts';
import {
  exited,
  instance,
  NOW_MS,
  observe,
  samplePod,
  sandbox,
  sidecar,
} from '../../../test/samples/sample-pods.ts';
import { toSandboxId } from '../model/ids.ts';
import type { Termination, TerminationCause } from '../model/termination.ts';
import { decideTermination } from './decide-termination.ts';

const because = (cause: TerminationCause): Termination => ({ cause, requestedAtMs: NOW_MS, graceSeconds: 5 });
const dead = sandbox({ ready: false });
const plan = (cause: TerminationCause, more: Parameters<typeof podFacts>[0]) =>
  decideTermination(podFacts(more), because(cause));

describe('decideTermination', () => {
  it('stops containers with the grace of the termination, then every ready sandbox', () => {
    const second = sandbox({ id: toSandboxId('sandbox-2') });
    const observed = observe(
      [
        instance('main', 'running'),
        instance('old', 'unknown'),
        exited('done', 0),
        instance('half', 'created'),
      ],
      [second, sandbox()],
    );
    const { actions, gone } = plan('deleted', { observed });
    assert.deepEqual(inShort(actions), ['stop main+old', 'stop-sandbox sandbox-2', 'stop-sandbox sandbox-1']);
    assert.ok(actions[0]?.kind === 'stop-containers');
    assert.deepEqual(
      actions[0].stops.map(({ graceSeconds }) => graceSeconds),
      [5, 5],
    );
    assert.equal(gone, false);
  });

  it('stops a sandbox in which nothing runs', () => {
    assert.deepEqual(inShort(plan('completed', { observed: observe([exited('main', 0)]) }).actions), [
      'stop-sandbox sandbox-1',
    ]);
  });

  it('lets sidecars end last', () => {
    const pod = samplePod({ initContainers: [sidecar('side')] });
    const observed = observe([instance('main', 'running'), instance('side', 'running')]);
    const [action] = plan('deleted', { pod, observed }).actions;
    assert.ok(action?.kind === 'stop-containers');
    assert.deepEqual(
      action.stops.map(({ name, after }) => [name, after]),
      [
        ['main', []],
        ['side', ['main-1']],
      ],
    );
  });

  it('leaves what has ended to a pod that comes back, once nothing runs', () => {
    const ended = observe([exited('main', 0), instance('half', 'created')], [dead]);
    const returning: Termination = { ...because('removed'), returns: true };
    const { actions, gone } = decideTermination(podFacts({ observed: ended }), returning);
    assert.deepEqual([inShort(actions), gone], [['remove half-1'], true]);
    const running = podFacts({ observed: observe([instance('main', 'running')]) });
    assert.equal(decideTermination(running, returning).gone, false);
  });

  for (const cause of ['deleted', 'removed', 'orphaned', 'evicted'] as const) {
    it(`takes everything away when the pod was ${cause} and nothing runs`, () => {
      const observed = observe([exited('main', 0), instance('half', 'created')], [dead]);
      const { actions, gone } = plan(cause, { observed });
      assert.deepEqual(inShort(actions), [
        'remove main-1',
        'remove half-1',
        'remove-sandbox sandbox-1',
        'release-pod',
      ]);
      assert.ok(actions.every((action) => action.kind !== 'remove-container' || !action.keepLogs));
      assert.equal(gone, true);
    });
  }

  for (const cause of ['completed', 'deadline', 'rejected', 'shutdown', 'preempted'] as const) {
    it(`leaves status and logs of a pod that is ${cause}`, () => {
      const result = plan(cause, { observed: observe([exited('main', 0)], [dead]) });
      assert.deepEqual([result.actions, result.gone, result.completed], [[], false, false]);
      assert.equal(result.wakeAtMs, undefined);
    });
  }

  it('waits after a failed step until its next try', () => {
    const facts = {
      observed: observe([instance('main', 'running')]),
      podFailure: podFailure('stop-containers', NOW_MS),
    };
    const held = plan('deleted', facts);
    assert.deepEqual([held.actions, held.gone, held.wakeAtMs], [[], false, NOW_MS + 10_000]);
    assert.equal(plan('deleted', { ...facts, nowMs: NOW_MS + 10_000 }).actions.length, 2);
  });

  it('does not wait for a step that failed before the pod was to end', () => {
    const facts = { observed: observe([], []), podFailure: podFailure('create-sandbox', NOW_MS - 1) };
    assert.deepEqual(inShort(plan('deleted', facts).actions), ['release-pod']);
  });
});

describe('decideTermination with volumes', () => {
  const held = { ready: true, held: true };
  const ended = observe([exited('main', 0)], [sandbox({ ready: false })]);

  it('unmounts when nothing runs any more, before anything is removed', () => {
    const facts = podFacts({ volumes: held, observed: observe([instance('main', 'running')]) });
    const removed = because('removed');
    assert.deepEqual(inShort(decideTermination(facts, removed).actions), [
      'stop main',
      'stop-sandbox sandbox-1',
    ]);
    const { actions, gone } = decideTermination(podFacts({ volumes: held, observed: ended }), removed);
    assert.deepEqual(inShort(actions), [
      'unmount-volumes',
      'remove main-1',
      'remove-sandbox sandbox-1',
      'release-pod',
    ]);
    assert.ok(gone);
  });

  it('gives claims back before the volumes, of a completed pod as well', () => {
    const facts = podFacts({ claimsHeld: true, volumes: held, observed: ended });
    const actions = inShort(decideTermination(facts, because('completed')).actions);
    assert.deepEqual(actions, ['release-claims', 'unmount-volumes']);
    assert.equal(inShort(decideTermination(facts, because('removed')).actions)[0], 'release-claims');
    const runs = podFacts({ claimsHeld: true, observed: observe([instance('main', 'running')]) });
    assert.ok(!inShort(decideTermination(runs, because('removed')).actions).includes('release-claims'));
  });

  it('unmounts for a completed pod as well, and keeps the rest', () => {
    const completed = because('completed');
    const facts = podFacts({ volumes: held, observed: ended });
    assert.deepEqual(inShort(decideTermination(facts, completed).actions), ['unmount-volumes']);
    const without = podFacts({ volumes: { ready: false, held: false }, observed: ended });
    assert.deepEqual(decideTermination(without, completed).actions, []);
  });
});
