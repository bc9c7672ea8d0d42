/**
 * Effects: one performer per kind of action, in one table. A performer
 * changes the outside world and reports `done` or a failure with the API's
 * reason and the time of the next try; it decides nothing.
 */
import type { Clock } from '../../base/async/clock.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { Action } from '../../core/model/actions.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import { removesContent } from '../../core/model/termination.ts';

export interface ActionContext {
  readonly record: DesiredPod;
  readonly observed: ObservedPod;
  /** Aborts when the pass is cut short or the agent stops. */
  readonly signal: AbortSignal;
  /** As `signal`, but a moment later when the pass is cut short: for calls that are better ended than cancelled. */
  readonly callSignal: AbortSignal;
  /** Names the pod in calls that may hang. */
  readonly label: string;
  /** How often this step has failed in a row; unset means never. */
  readonly failures?: number;
}

export type ActionResult =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly message: string;
      readonly retryAtMs: number;
      /** True when the actions after this one make no sense without it. */
      readonly endsPass: boolean;
    };

export const done: ActionResult = { kind: 'done' };

export type Performer<K extends Action['kind']> = (
  action: Extract<Action, { kind: K }>,
  context: ActionContext,
) => Promise<ActionResult>;

export type Performers = { readonly [K in Action['kind']]: Performer<K> };

export type PerformAction = (action: Action, context: ActionContext) => Promise<ActionResult>;

/**
 * A step that failed is tried again soon at first: what stands in its way, such as a start that a killed agent
 * had asked for, is often over in a moment, and no event says so.
 */
const ACTION_RETRY: RetryPolicy = { initialMs: 500, maxMs: 10_000, spread: 0.5 };

/** How often in a row the runtime may refuse to remove what has ended before the pod's end goes on without it. */
const MAX_REFUSALS = 4;

/** Turns the table into one function. An error a performer did not foresee fails the action and is retried. */
export function createPerformAction(
  performers: Performers,
  clock: Clock,
  random: () => number,
): PerformAction {
  return async (action, context) => {
    try {
      const performer = performers[action.kind] as Performer<typeof action.kind>;
      return await performer(action as never, context);
    } catch (error) {
      if (!(error instanceof AgentError) && !context.signal.aborted) throw error;
      const retryAtMs = clock.now() + computeRetryDelay(ACTION_RETRY, context.failures ?? 0, random());
      const endsPass = !isLeftBehind(action, context, error);
      return { kind: 'failed', reason: action.kind, message: errorText(error), retryAtMs, endsPass };
    }
  };
}

/**
 * Nothing of the pod runs any more when its containers and sandboxes are
 * removed, so a runtime that refuses does not hold up its end: its volumes,
 * devices and name are free and the API object goes. What is left is an
 * orphan of the runtime, and that one is tried until the runtime lets go.
 */
function isLeftBehind({ kind }: Action, { record, failures = 0 }: ActionContext, error: unknown): boolean {
  if (kind !== 'remove-container' && kind !== 'remove-sandbox') return false;
  if (record.source === 'runtime' || record.termination === undefined) return false;
  return removesContent(record.termination.cause) && failures >= MAX_REFUSALS && isRefusal(error);
}

/** The runtime is there and answered. */
function isRefusal(error: unknown): boolean {
  return !(['unavailable', 'deadline-exceeded', 'cancelled'] as const).some((code) => hasCode(error, code));
}
