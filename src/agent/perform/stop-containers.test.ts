import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeProbeTransport } from '../../../test/fakes/fake-probe-transport.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { observe, samplePod, sidecar } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { ContainerStop } from '../../core/model/actions.ts';
import { type ContainerId, toContainerId, toPodUid } from '../../core/model/ids.ts';
import type { Termination } from '../../core/model/termination.ts';
import type { ContainerRuntime, ExecResult } from '../../ports/runtime/container-runtime.ts';
import { LifecycleHooks } from '../pod/lifecycle-hooks.ts';
import type { ActionContext } from '../pod/perform-action.ts';
import { stopContainersPerformer } from './stop-containers.ts';

interface Script {
  readonly exec?: (signal: AbortSignal | undefined) => Promise<Partial<ExecResult>>;
  /** Seconds a container takes to end. */
  readonly endsAfter?: (id: ContainerId) => number;
  readonly termination?: Termination;
}

const logger = silentLogger;

function setUp({ exec = async () => ({}), endsAfter = () => 0, termination }: Script = {}) {
  const clock = new FakeClock();
  const startMs = clock.steady();
  const transport = new FakeProbeTransport(clock);
  const log: string[] = [];
  const stopped: string[] = [];
  const recorder = new RecordingEvents();
  const say = (what: string): void => void log.push(`${(clock.steady() - startMs) / 1000} ${what}`);
  const runtime = {
    execSync: async (
      id: ContainerId,
      _command: unknown,
      _timeout: unknown,
      options?: { signal?: AbortSignal },
    ) => {
      say(`hook of ${id}`);
      const result = await exec(options?.signal);
      return { exitCode: 0, stdout: new Uint8Array(), stderr: new Uint8Array(), ...result };
    },
    stopContainer: async (id: ContainerId, graceSeconds: number, options?: { signal?: AbortSignal }) => {
      if (options?.signal?.aborted) throw new AgentError('cancelled', 'cancelled');
      say(`stop ${id} with ${graceSeconds}`);
      await wait(clock, endsAfter(id));
      say(`gone ${id}`);
    },
  } as unknown as ContainerRuntime;
  const hooks = new LifecycleHooks({ runtime, transport, events: recorder, clock, logger });
  const node = { nodeIps: () => ['192.0.2.10'] };
  const perform = stopContainersPerformer({
    runtime,
    clock,
    events: recorder,
    hooks,
    node,
    onStopped: (uid, id) => void stopped.push(`${id} of ${uid}`),
  });
  const pod = samplePod({
    initContainers: [sidecar('side')],
    containers: [{ name: 'main' }, { name: 'other' }],
  });
  const record = {
    uid: toPodUid('uid-1'),
    pod,
    source: 'file' as const,
    order: 0,
    ...(termination === undefined ? {} : { termination }),
  };
  const contextOf = (signal: AbortSignal): ActionContext => ({
    record,
    observed: observe([]),
    signal,
    callSignal: signal,
    label: 'default/web',
  });
  return {
    clock,
    log,
    stopped,
    events: recorder.events,
    hooks,
    perform: (stops: readonly ContainerStop[], signal = new AbortController().signal) =>
      perform({ kind: 'stop-containers', stops }, contextOf(signal)),
  };
}

const wait = (clock: FakeClock, seconds: number): Promise<void> =>
  new Promise((resolve) => clock.startTimer(seconds * 1000, resolve));

const toStop = (name: string, more: Partial<ContainerStop> = {}): ContainerStop => ({
  id: toContainerId(`${name}-1`),
  name,
  role: 'regular',
  graceSeconds: 30,
  message: `Stopping container ${name}`,
  after: [],
  ...more,
});

const EXEC = { exec: { command: ['bye'] } };

describe('stopContainersPerformer', () => {
  it('runs the preStop hook first and takes whole seconds off the grace', async () => {
    const { clock, log, events, perform } = setUp({});
    await clock.finish(perform([toStop('main', { preStop: { sleep: { seconds: 4.7 } } })]));
    assert.deepEqual(log, ['4.7 stop main-1 with 26', '4.7 gone main-1']);
    assert.deepEqual(
      events.map(({ reason, message }) => [reason, message]),
      [['Killing', 'Stopping container main']],
    );
    assert.equal(clock.pendingTimers, 0);
  });

  it('takes nothing off the grace when the clock is set ahead', async () => {
    const { clock, log, perform } = setUp({});
    const stopped = perform([toStop('main', { preStop: { sleep: { seconds: 4 } } })]);
    await clock.advance(1_000);
    clock.setBy(5 * 3_600_000);
    await clock.finish(stopped);
    assert.deepEqual(log, ['4 stop main-1 with 26', '4 gone main-1']);
  });

  it('abandons a hook that outlasts the grace, without cutting it short before the container is gone', async () => {
    let hookSignal: AbortSignal | undefined;
    const { clock, log, events, perform } = setUp({
      exec: (signal) => {
        hookSignal = signal;
        return new Promise(() => {});
      },
      endsAfter: () => {
        assert.equal(hookSignal?.aborted, false);
        return 1;
      },
    });
    await clock.finish(perform([toStop('main', { graceSeconds: 5, preStop: EXEC })]));
    assert.deepEqual(log, ['0 hook of main-1', '5 stop main-1 with 2', '6 gone main-1']);
    assert.equal(hookSignal?.aborted, true);
    assert.deepEqual(
      events.map(({ reason }) => reason),
      ['Killing'],
    );
    assert.equal(clock.pendingTimers, 0);
  });

  it('reports a failed hook and stops the container all the same', async () => {
    const { clock, log, events, perform } = setUp({ exec: async () => ({ exitCode: 1 }) });
    await clock.finish(perform([toStop('main', { preStop: EXEC })]));
    assert.deepEqual(log, ['0 hook of main-1', '0 stop main-1 with 30', '0 gone main-1']);
    const event = events.at(-1);
    assert.deepEqual(
      [event?.type, event?.reason, event?.message, event?.fieldPath],
      ['Warning', 'FailedPreStopHook', 'PreStopHook failed', 'spec.containers{main}'],
    );
  });

  it('runs no hook without grace', async () => {
    const { clock, log, perform } = setUp();
    await clock.finish(perform([toStop('main', { graceSeconds: 0, preStop: EXEC })]));
    assert.deepEqual(log, ['0 stop main-1 with 2', '0 gone main-1']);
  });

  it('runs the hook of a sidecar at once and delays only its stop', async () => {
    const { clock, log, perform } = setUp({ endsAfter: (id) => (id === 'main-1' ? 7 : 0) });
    const after = [toContainerId('main-1')];
    const side = toStop('side', { role: 'sidecar', after, preStop: EXEC });
    await clock.finish(perform([side, toStop('main')]));
    assert.deepEqual(log, [
      '0 hook of side-1',
      '0 stop main-1 with 30',
      '7 gone main-1',
      '7 stop side-1 with 23',
      '7 gone side-1',
    ]);
  });

  it('reports the instances that stopped, and no other', async () => {
    const { clock, stopped, perform } = setUp({
      endsAfter: (id) => {
        if (id === 'main-1') throw new AgentError('unavailable', 'no runtime');
        return 1;
      },
    });
    const stopping = assert.rejects(perform([toStop('main'), toStop('other')]));
    await clock.settle();
    assert.deepEqual(stopped, []);
    await clock.finish(stopping);
    assert.deepEqual(stopped, ['other-1 of uid-1']);
  });

  it('has an event for a pod that cannot be ended, and none for a restart that fails', async () => {
    const endsAfter = (id: ContainerId): number => {
      throw new AgentError('unknown', `rpc error: code = Unknown desc = "${id}" hangs`);
    };
    const termination = { cause: 'deleted' as const, requestedAtMs: 0 };
    const kills = async (stops: readonly ContainerStop[], more: object): Promise<string[]> => {
      const { clock, events, perform } = setUp({ endsAfter, ...more });
      await clock.finish(assert.rejects(perform(stops), { message: /"main-1" hangs$/ }));
      return events.flatMap(({ type, reason, message }) =>
        reason === 'FailedKillPod' ? [`${type} ${message}`] : [],
      );
    };
    const textOf = (name: string): string =>
      `failed to "KillContainer" for "${name}" with KillContainerError: "rpc error: code = Unknown desc = \\"${name}-1\\" hangs"`;
    assert.deepEqual(await kills([toStop('main')], {}), []);
    assert.deepEqual(await kills([toStop('main')], { termination }), [
      `Warning error killing pod: ${textOf('main')}`,
    ]);
    assert.deepEqual(await kills([toStop('main'), toStop('other')], { termination }), [
      `Warning error killing pod: [${textOf('main')}, ${textOf('other')}]`,
    ]);
  });

  it('leaves a sidecar alone while what it serves cannot be stopped, until the grace is over', async () => {
    const endsAfter = (id: ContainerId): number => {
      if (id !== 'main-1') return 0;
      throw new AgentError('unavailable', 'no runtime');
    };
    const after = [toContainerId('main-1')];
    const side = toStop('side', { role: 'sidecar', after, graceSeconds: 3 });
    const early = setUp({ endsAfter });
    const main = toStop('main', { graceSeconds: 3 });
    await early.clock.finish(assert.rejects(early.perform([side, main]), /no runtime/));
    assert.deepEqual(early.log, ['0 stop main-1 with 3']);

    const termination = { cause: 'deleted' as const, requestedAtMs: 0, countedFromMs: early.clock.steady() };
    const jumped = setUp({ endsAfter, termination });
    jumped.clock.setBy(5 * 3_600_000);
    await jumped.clock.finish(assert.rejects(jumped.perform([side, main]), /no runtime/));
    assert.deepEqual(jumped.log, ['0 stop main-1 with 3'], 'a clock that is set ahead ends no grace');

    const late = setUp({ endsAfter });
    const slow = { ...main, preStop: { sleep: { seconds: 9 } } };
    await late.clock.finish(assert.rejects(late.perform([side, slow]), /no runtime/));
    assert.deepEqual(late.log, ['3 stop main-1 with 2', '3 stop side-1 with 2', '3 gone side-1']);
  });

  it('does not run a hook twice when the pass is cut short and repeated', async () => {
    const hook = Promise.withResolvers<Partial<ExecResult>>();
    const { clock, log, perform } = setUp({ exec: () => hook.promise });
    const pass = new AbortController();
    const stops = [toStop('main', { preStop: EXEC })];
    const first = assert.rejects(perform(stops, pass.signal), { code: 'cancelled' });
    await clock.advance(3_000);
    pass.abort();
    await first;
    const second = perform(stops);
    await clock.advance(2_000);
    hook.resolve({});
    await clock.finish(second);
    assert.deepEqual(log, ['0 hook of main-1', '5 stop main-1 with 28', '5 gone main-1']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('lets go of a hook whose container ended by itself once the pod is gone', async () => {
    const { clock, hooks, perform } = setUp();
    const pass = new AbortController();
    const stops = [toStop('main', { preStop: { sleep: { seconds: 20 } } })];
    const stopped = assert.rejects(perform(stops, pass.signal));
    await clock.advance(1_000);
    pass.abort();
    await stopped;
    hooks.podGone({ uid: toPodUid('uid-2') });
    await clock.settle();
    assert.equal(clock.pendingTimers, 1);
    hooks.podGone({ uid: toPodUid('uid-1') });
    await clock.settle();
    assert.equal(clock.pendingTimers, 0);
  });

  it('lets go of hooks when the agent stops', async () => {
    const { clock, hooks, log, perform } = setUp();
    const pass = new AbortController();
    const stopped = assert.rejects(
      perform([toStop('main', { preStop: { sleep: { seconds: 20 } } })], pass.signal),
    );
    await clock.advance(1_000);
    pass.abort();
    hooks.close();
    await stopped;
    assert.deepEqual(log, []);
    assert.equal(clock.pendingTimers, 0);
  });
});
