import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PodEvent, RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { Gate } from '../../base/async/gate.ts';
import { AgentError } from '../../base/errors.ts';
import { toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { ActionContext } from '../pod/perform-action.ts';
import { type EndSandboxParts, removeSandboxPerformer, stopSandboxPerformer } from './end-sandbox.ts';

describe('stopSandboxPerformer', () => {
  async function stop(termination: ActionContext['record']['termination']): Promise<PodEvent[]> {
    const events = new RecordingEvents();
    const runtime = {
      stopSandbox: async () => {
        throw new AgentError('deadline-exceeded', 'rpc error: code = DeadlineExceeded desc = too slow');
      },
    };
    const parts = { runtime, events, endGate: new Gate(1), stopped: new Set() };
    const perform = stopSandboxPerformer(parts as unknown as EndSandboxParts);
    const record = { uid: toPodUid('uid-1'), pod: samplePod({}), source: 'api' as const, order: 0 };
    const context = {
      record: termination === undefined ? record : { ...record, termination },
      signal: new AbortController().signal,
      label: 'default/web',
    };
    await assert.rejects(
      perform({ kind: 'stop-sandbox', sandboxId: toSandboxId('s') }, context as unknown as ActionContext),
      { code: 'deadline-exceeded' },
    );
    return events.events;
  }

  it('has an event for a pod that cannot be ended, and none while it lives', async () => {
    const [event, ...more] = await stop({ cause: 'deleted', requestedAtMs: 0 });
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event?.type, event?.reason, event?.message],
      [
        'Warning',
        'FailedKillPod',
        'error killing pod: failed to "KillPodSandbox" for "uid-1" with KillPodSandboxError: "rpc error: code = DeadlineExceeded desc = too slow"',
      ],
    );
    assert.deepEqual(await stop(undefined), []);
  });
});

describe('removeSandboxPerformer', () => {
  const sandboxId = toSandboxId('s');
  const record = { uid: toPodUid('uid-1'), pod: samplePod({}), source: 'api' as const, order: 0 };
  const context = {
    record,
    signal: new AbortController().signal,
    label: 'default/web',
  } as unknown as ActionContext;

  function setUp(failures = 0) {
    const calls: string[] = [];
    const runtime = {
      stopSandbox: async () => {
        calls.push('stop');
        if (failures-- > 0) throw new AgentError('unavailable', 'the network is away');
      },
      removeSandbox: async () => void calls.push('remove'),
    };
    const stopped = new Set();
    const parts = { runtime, events: new RecordingEvents(), endGate: new Gate(1), stopped };
    const stop = stopSandboxPerformer(parts as unknown as EndSandboxParts);
    const remove = removeSandboxPerformer(parts as unknown as EndSandboxParts);
    return {
      calls,
      stopped,
      stop: () => stop({ kind: 'stop-sandbox', sandboxId }, context),
      remove: () => remove({ kind: 'remove-sandbox', sandboxId }, context),
    };
  }

  it('stops no sandbox again that this agent has stopped, and forgets it', async () => {
    const { calls, stopped, stop, remove } = setUp();
    await stop();
    await remove();
    assert.deepEqual(calls, ['stop', 'remove']);
    assert.equal(stopped.size, 0);
  });

  it('stops one that ended by itself, or whose stop failed', async () => {
    const other = setUp();
    await other.remove();
    assert.deepEqual(other.calls, ['stop', 'remove']);
    const failed = setUp(1);
    await assert.rejects(failed.stop());
    await failed.remove();
    assert.deepEqual(failed.calls, ['stop', 'stop', 'remove']);
  });
});
