import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { instanceOf, NO_VOLUMES, podFacts } from '../../../test/samples/sample-facts.ts';
import { observe, samplePod, sandbox, UID } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { EventText } from '../../core/model/event-text.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import type { Termination } from '../../core/model/termination.ts';
import { NewSandboxUnreadError } from '../runtime/new-sandbox-unread-error.ts';
import { done } from './perform-action.ts';
import { PodWorker, type PodWorkerParts } from './pod-worker.ts';

interface World {
  readonly termination?: Termination;
  readPod: () => Promise<ObservedPod>;
  perform: () => void;
}

function setUp(more: Partial<World> = {}) {
  const clock = new FakeClock();
  const warnings: EventText[] = [];
  const performed: string[] = [];
  const world: World = { readPod: async () => observe([], []), perform: () => {}, ...more };
  const { termination } = world;
  const record: DesiredPod = {
    uid: UID,
    pod: samplePod(),
    source: 'api',
    order: 0,
    ...(termination && { termination }),
  };
  const { probes, crashLoops, crashLoopPolicy } = podFacts();
  const publisher = {
    readMessages: async () => new Map(),
    computeStartMs: () => 0,
    publish: () => {},
    recordEvents: (_record: DesiredPod, events: readonly EventText[] = []) => void warnings.push(...events),
  };
  const worker = new PodWorker(UID, {
    kit: {
      clock,
      logger: new RecordingLogger(),
      meter: { passed: () => {}, performed: () => {} },
      random: () => 0,
    },
    readDesired: () => record,
    readPod: () => world.readPod(),
    facts: {
      refresh: async () => {},
      read: () => ({
        probes,
        crashLoops,
        crashLoopPolicy,
        networkProblem: undefined,
        runtimeProblem: undefined,
        volumes: NO_VOLUMES,
      }),
    },
    publisher: publisher as unknown as PodWorkerParts['publisher'],
    perform: async ({ kind }) => {
      performed.push(kind);
      world.perform();
      return done;
    },
    onCompleted: () => {},
    onPastDeadline: () => {},
  });
  const stop = new AbortController();
  const ended = worker.run(stop.signal);
  return {
    clock,
    world,
    worker,
    warnings,
    performed,
    ended,
    end: async () => {
      stop.abort();
      assert.equal(await ended, 'stopped');
    },
  };
}

const MAIN = { name: 'main', image: 'app:1' };

describe('PodWorker', () => {
  it('ends for a pod that its source has again when nothing of it is left to undo', async () => {
    const termination: Termination = { cause: 'removed', requestedAtMs: 0, returns: true };
    const { clock, performed, ended } = setUp({ termination });
    await clock.settle();
    assert.equal(await ended, 'gone');
    assert.deepEqual(performed, []);
  });

  it('has an event of its own for a new sandbox whose status cannot be read', async () => {
    const { clock, warnings, end } = setUp({
      readPod: async () => {
        throw new NewSandboxUnreadError(new AgentError('unknown', 'broken'));
      },
    });
    await clock.settle();
    assert.deepEqual(
      warnings.map(({ reason, message }) => `${reason}: ${message}`),
      ['FailedPodSandBoxStatus: Unable to get pod sandbox status: broken'],
    );
    await end();
  });

  it('records an event when the state of the pod cannot be read, but not when the runtime is unreachable', async () => {
    for (const [code, expected] of [
      ['unknown', ['Warning FailedSync: error determining status: broken']],
      ['unavailable', []],
    ] as const) {
      const { clock, worker, warnings, performed, end } = setUp({
        readPod: async () => {
          throw new AgentError(code, 'broken');
        },
      });
      await clock.settle();
      assert.deepEqual(
        warnings.map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
        expected,
      );
      assert.equal(worker.setback?.message, 'broken');
      assert.deepEqual(performed, []);
      await end();
    }
  });

  it('is not woken by what its own steps reported before it read the pod again', async () => {
    const { clock, world, worker, performed, end } = setUp();
    let readsAfter = 0;
    let runs = false;
    world.readPod = async () => {
      readsAfter++;
      return runs ? observe([instanceOf(MAIN, 'running')], [sandbox()]) : observe([], []);
    };
    world.perform = () => {
      runs = true;
      worker.wake('runtime event');
    };
    worker.wake('first');
    await clock.settle();
    assert.deepEqual(performed, ['create-sandbox']);
    assert.equal(readsAfter, 1);
    worker.wake('runtime event');
    await clock.settle();
    assert.equal(readsAfter, 2);
    await end();
  });

  it('reads once more when something is reported while it reads', async () => {
    const { clock, world, worker, end } = setUp();
    let reads = 0;
    world.readPod = async () => {
      if (++reads === 1) worker.wake('runtime event');
      return observe([instanceOf(MAIN, 'running')], [sandbox()]);
    };
    await clock.settle();
    assert.equal(reads, 2);
    await end();
  });
});
