import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  namesOf,
  randomCause,
  randomObservation,
  randomPod,
  randomRuns,
} from '../../../test/samples/random-pods.ts';
import { type Run, SampleRuntime } from '../../../test/samples/sample-runtime.ts';
import type { Pod } from '../api/pod.ts';
import type { Action } from '../model/actions.ts';
import { newestInstance, type ObservedPod } from '../model/observed-pod.ts';
import { initContainersOf, sidecarsOf } from '../model/pod-containers.ts';
import { isFailedInit } from '../model/restart.ts';
import { mergeTermination, removesContent } from '../model/termination.ts';
import type { PodPlan } from './pod-facts.ts';

const MAX_PASSES = 150;

interface Story {
  readonly pod: Pod;
  readonly start: ObservedPod;
  readonly runs: Readonly<Record<string, readonly Run[]>>;
  readonly faults: readonly boolean[];
}

const anyStory: fc.Arbitrary<Story> = randomPod.chain((pod) =>
  fc.record({
    pod: fc.constant(pod),
    start: randomObservation(pod),
    runs: randomRuns(pod),
    faults: fc.array(fc.boolean(), { maxLength: 6 }),
  }),
);

const startsAnything = ({ kind }: Action): boolean => kind === 'start-container' || kind === 'create-sandbox';

function ofKind<K extends Action['kind']>(
  actions: readonly Action[],
  kind: K,
): Extract<Action, { kind: K }>[] {
  return actions.filter((action) => action.kind === kind) as Extract<Action, { kind: K }>[];
}

function settled(story: Story, onPlan?: (plan: PodPlan, runtime: SampleRuntime) => void): SampleRuntime {
  const runtime = new SampleRuntime(story);
  runtime.settle(MAX_PASSES, (plan) => onPlan?.(plan, runtime));
  return runtime;
}

function law(criterion: string, check: (story: Story) => void): void {
  it(criterion, () => fc.assert(fc.property(anyStory, check), { numRuns: 300 }));
}

describe('decidePod', () => {
  law('comes to rest from any state once faults cease', (story) => {
    settled(story);
  });

  law('makes at most one sandbox in a plan', (story) => {
    settled(story, ({ actions }) => assert.ok(ofKind(actions, 'create-sandbox').length <= 1));
  });

  law('stops a container before it starts it, and starts it once', (story) => {
    settled(story, ({ actions }) => {
      const started = ofKind(actions, 'start-container').map(({ container }) => container.name);
      assert.equal(new Set(started).size, started.length);
      const firstStart = actions.findIndex(startsAnything);
      const lastStop = actions.findLastIndex(({ kind }) => kind === 'stop-containers');
      assert.ok(firstStart === -1 || lastStop < firstStart);
    });
  });

  law('ends with every main container running in the one ready sandbox, or ended for good', (story) => {
    const runtime = settled(story);
    const { observed, pod } = runtime;
    if (runtime.termination !== undefined) {
      assert.ok(!observed.sandboxes.some(({ ready }) => ready));
      assert.ok(!observed.containers.some(({ state }) => state === 'running'));
      return;
    }
    assert.deepEqual(
      observed.sandboxes.filter(({ ready }) => ready),
      observed.sandboxes.slice(0, 1),
    );
    const states = pod.spec.containers.map(({ name }) => newestInstance(observed, name));
    assert.ok(states.some((newest) => newest?.state === 'running'));
    for (const newest of states) {
      if (newest?.state === 'running') assert.equal(newest.sandboxId, observed.sandboxes[0]?.id);
      else assert.equal(newest?.state, 'exited');
    }
  });

  it('ends with all containers of a healthy pod running', () => {
    const healthy = anyStory.map((story) => ({
      ...story,
      pod: { ...story.pod, spec: { ...story.pod.spec, restartPolicy: 'Always' as const } },
      start: { ...story.start, containers: [] },
      runs: {},
    }));
    fc.assert(
      fc.property(healthy, (story) => {
        const { observed, pod } = settled(story);
        const sidecars = sidecarsOf(pod);
        for (const { name } of [...pod.spec.containers, ...sidecars]) {
          const newest = newestInstance(observed, name);
          assert.deepEqual([newest?.state, newest?.sandboxId], ['running', observed.sandboxes[0]?.id]);
        }
      }),
    );
  });

  law('starts nothing of a completed pod again, not even after the agent forgot it', (story) => {
    const runtime = settled(story, ({ actions }, { wasCompleted }) => {
      if (wasCompleted) assert.ok(!actions.some(startsAnything));
    });
    if (!runtime.wasCompleted) return;
    runtime.termination = undefined;
    const { actions, completed } = runtime.decide();
    assert.deepEqual([actions, completed], [[], true]);
  });

  law('never lets a restart count fall', (story) => {
    const { counts } = settled(story);
    for (const [name, list] of counts) {
      const instances = story.start.containers.filter((c) => c.name === name);
      // The number of an instance that was created but never started is used by the next one.
      const before = instances.length - (instances[0]?.state === 'created' ? 2 : 1);
      assert.ok(
        [before, ...list].every((count, index, all) => index === 0 || count > (all[index - 1] ?? 0)),
        `${name}: ${before} ${list}`,
      );
    }
  });

  law(
    'waits until every earlier init container is done before it starts a main one in a fresh sandbox',
    (story) => {
      settled({ ...story, start: { ...story.start, sandboxes: [], containers: [] } }, (plan, runtime) => {
        const starts = ofKind(plan.actions, 'start-container');
        if (!starts.some(({ role }) => role === 'regular')) return;
        for (const { name, restartPolicy } of initContainersOf(runtime.pod)) {
          const newest = newestInstance(runtime.observed, name);
          if (restartPolicy === 'Always') assert.ok(newest !== undefined, name);
          else assert.ok(newest?.state === 'exited' && !isFailedInit(newest), name);
        }
      });
    },
  );

  law('does not run init containers again while a main container runs in the sandbox', (story) => {
    settled(story, ({ actions }, { observed, pod }) => {
      const kept = observed.sandboxes[0]?.id;
      const mainRuns = pod.spec.containers.some(({ name }) => {
        const newest = newestInstance(observed, name);
        return newest?.state === 'running' && newest.sandboxId === kept;
      });
      if (!mainRuns) return;
      assert.ok(!ofKind(actions, 'start-container').some(({ role }) => role === 'init'));
    });
  });

  it('runs a container of a pod that is never restarted once only', () => {
    const plain = anyStory.map((story) => {
      const own = namesOf(story.pod).some((c) => c.restartPolicyRules !== undefined);
      const spec = { ...story.pod.spec, restartPolicy: 'Never' as const };
      return { ...story, own, pod: { ...story.pod, spec }, start: { ...story.start, containers: [] } };
    });
    fc.assert(
      fc.property(plain, (story) => {
        fc.pre(!story.own);
        const { counts, pod } = settled(story);
        for (const { name } of pod.spec.containers) assert.ok((counts.get(name) ?? []).length <= 1, name);
      }),
    );
  });

  it('does not run a succeeded container of an OnFailure pod again', () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        fc.pre(!namesOf(story.pod).some((c) => c.restartPolicyRules !== undefined));
        const pod = { ...story.pod, spec: { ...story.pod.spec, restartPolicy: 'OnFailure' as const } };
        settled({ ...story, pod }, ({ actions }, { observed }) => {
          for (const { container, role } of ofKind(actions, 'start-container')) {
            if (role !== 'regular') continue;
            const newest = newestInstance(observed, container.name);
            assert.ok(newest?.state !== 'exited' || newest.details?.exitCode !== 0, container.name);
          }
        });
      }),
    );
  });

  law('stops sidecars after main containers, and later sidecars before earlier ones', (story) => {
    settled(story, ({ actions }, { pod }) => {
      const order = initContainersOf(pod).map(({ name }) => name);
      for (const { stops } of ofKind(actions, 'stop-containers')) {
        // A single restart does not wait for others; only the end of a whole pod is ordered.
        if (!actions.some(({ kind }) => kind === 'stop-sandbox')) continue;
        for (const side of stops.filter(({ role }) => role === 'sidecar')) {
          const before = stops.filter(
            ({ role, name }) =>
              role === 'regular' || (role === 'sidecar' && order.indexOf(name) > order.indexOf(side.name)),
          );
          assert.deepEqual(new Set(side.after), new Set(before.map(({ id }) => id)));
        }
        assert.ok(stops.every(({ role, after }) => role === 'sidecar' || after.length === 0));
      }
    });
  });

  law('keeps the newest instance of each name and every sandbox in use when it cleans up', (story) => {
    settled(story, ({ actions }, { observed, termination }) => {
      if (termination !== undefined || !actions.some(({ kind }) => kind === 'remove-sandbox')) return;
      const removed = new Set<string>(ofKind(actions, 'remove-container').map(({ id }) => id));
      for (const { name } of observed.containers) {
        assert.ok(!removed.has(newestInstance(observed, name)?.id ?? ''), name);
      }
      const left = observed.containers.filter(({ id }) => !removed.has(id));
      for (const { sandboxId } of ofKind(actions, 'remove-sandbox')) {
        assert.ok(!left.some((container) => container.sandboxId === sandboxId));
        assert.notEqual(observed.sandboxes[0]?.id, sandboxId);
      }
    });
  });

  it('starts nothing once a termination is recorded, and leaves nothing when the content goes too', () => {
    fc.assert(
      fc.property(anyStory, randomCause, fc.nat(6), (story, cause, afterPasses) => {
        const runtime = new SampleRuntime(story);
        runtime.settle(MAX_PASSES, ({ actions }) => {
          if (runtime.termination !== undefined && runtime.passes > afterPasses + 1)
            assert.ok(!actions.some(startsAnything));
          if (runtime.passes !== afterPasses) return;
          runtime.termination = mergeTermination(
            story.pod,
            runtime.termination,
            { cause },
            { requestedAtMs: runtime.nowMs },
          );
        });
        if (runtime.termination === undefined) return;
        if (!runtime.isGone) runtime.settle(MAX_PASSES);
        const { observed, termination } = runtime;
        assert.ok(!observed.containers.some(({ state }) => state === 'running' || state === 'unknown'));
        assert.equal(runtime.isGone, removesContent(termination.cause));
        if (runtime.isGone) assert.deepEqual([observed.containers, observed.sandboxes], [[], []]);
      }),
      { numRuns: 500 },
    );
  });

  it('starts nothing of a pod that is being deleted and ends with nothing left', () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const metadata = { ...story.pod.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' };
        const runtime = settled({ ...story, pod: { ...story.pod, metadata } }, ({ actions }) =>
          assert.ok(!actions.some(startsAnything)),
        );
        assert.ok(runtime.isGone);
        assert.deepEqual([runtime.observed.containers, runtime.observed.sandboxes], [[], []]);
      }),
    );
  });
});
