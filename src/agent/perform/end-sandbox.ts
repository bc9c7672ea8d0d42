/**
 * Stops sandboxes and removes them: the heaviest work a runtime has at the end
 * of a pod. It goes through a gate, so that many pods that end at once are gone
 * one after the other; all at once they would take longer.
 */

import type { Gate } from '../../base/async/gate.ts';
import type { SandboxId } from '../../core/model/ids.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import { done, type Performer } from '../pod/perform-action.ts';
import { startRank } from '../pod/start-rank.ts';
import { recordFailedKill, renderSyncFailure } from './stop-containers.ts';

/** The next step of a pod follows in the same place of the gate, unless something else holds it up. */
export const KEEP_PLACE_MS = 250;

export interface EndSandboxParts {
  readonly runtime: ContainerRuntime;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Of ends; starts have another, so that neither waits for the other. */
  readonly endGate: Gate;
  /** Sandboxes that this agent has stopped, network and all, and not yet removed. */
  readonly stopped: Set<SandboxId>;
}

/**
 * A sandbox that ended by itself, or before this agent began, is stopped first: that releases its network. For others
 * the runtime would call the network's programs once more, 11 to 31 ms beside the 120 to 200 of the first time.
 */
export function removeSandboxPerformer(parts: EndSandboxParts): Performer<'remove-sandbox'> {
  const { runtime, endGate, stopped } = parts;
  return async ({ sandboxId }, context) => {
    const { record, signal, label } = context;
    await endGate.run(startRank(record), signal, async () => {
      if (!stopped.has(sandboxId)) await runtime.stopSandbox(sandboxId, { signal, label });
      await runtime.removeSandbox(sandboxId, { signal, label });
    });
    stopped.delete(sandboxId);
    return done;
  };
}

export function stopSandboxPerformer(parts: EndSandboxParts): Performer<'stop-sandbox'> {
  return async ({ sandboxId }, context) => {
    const { runtime, endGate, stopped } = parts;
    const { record, signal, label } = context;
    try {
      const stop = () => runtime.stopSandbox(sandboxId, { signal, label });
      await endGate.run(startRank(record), signal, stop, KEEP_PLACE_MS);
      stopped.add(sandboxId);
      return done;
    } catch (error) {
      const text = renderSyncFailure('KillPodSandbox', record.uid, 'KillPodSandboxError', error);
      recordFailedKill(parts, context, [text]);
      throw error;
    }
  };
}
