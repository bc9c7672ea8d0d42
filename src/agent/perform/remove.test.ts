import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PodEvent, RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { Gate } from '../../base/async/gate.ts';
import { AgentError } from '../../base/errors.ts';
import { toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { ActionContext } from '../pod/perform-action.ts';
import { type RemoveParts, stopSandboxPerformer } from './remove.ts';

describe('stopSandboxPerformer', () => {
  async function stop(termination: ActionContext['record']['termination']): Promise<PodEvent[]> {
    const events = new RecordingEvents();
    const runtime = {
      stopSandbox: async () => {
        throw new AgentError('deadline-exceeded', 'rpc error: code = DeadlineExceeded desc = too slow');
      },
    };
    const parts = { runtime, events, endGate: new Gate(1) };
    const perform = stopSandboxPerformer(parts as unknown as RemoveParts);
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
