/** The postStart hook of a container that was just started. The pod waits for it. */
import { AgentError, errorText } from '../../base/errors.ts';
import type { StartContainer } from '../../core/model/actions.ts';
import { toContainerStop } from '../../core/model/container-stop.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import { type ActionContext, type ActionResult, done } from '../pod/perform-action.ts';
import { toHookTarget } from './hook-target.ts';
import { computeStepRetry } from './step-retry.ts';
import { type StopContainersParts, stopContainer } from './stop-containers.ts';

export interface PostStartParts extends StopContainersParts {
  readonly random: () => number;
}

export type RunPostStart = (
  action: StartContainer,
  context: ActionContext,
  id: ContainerId,
) => Promise<ActionResult>;

/** Runs the hook. A container whose hook failed is stopped again, in the usual way. */
export function postStartRunner(parts: PostStartParts): RunPostStart {
  return async ({ container, role }, context, id) => {
    const { record, signal } = context;
    const handler = container.lifecycle?.postStart;
    if (handler === undefined) return done;
    signal.throwIfAborted();
    const target = toHookTarget(parts.node, container, id, context);
    const result = await parts.hooks.postStart(handler, target, signal);
    signal.throwIfAborted();
    if (result.ok) return done;
    const reason = { message: 'FailedPostStartHook' };
    const stop = toContainerStop(record.pod, { container, role }, { id, name: container.name }, reason);
    let { message } = result;
    try {
      await stopContainer(parts, stop, context);
    } catch (error) {
      if (signal.aborted || !(error instanceof AgentError)) throw error;
      // The container runs on; the failure is only logged.
      message += `; cannot stop it: ${errorText(error)}`;
    }
    const retryAtMs = computeStepRetry(parts);
    return { kind: 'failed', reason: 'PostStartHookError', message, retryAtMs, endsPass: role === 'init' };
  };
}
