/** One line of the log for each action that was performed: quiet when it worked. */
import { podRef } from '../../core/api/pod-identity.ts';
import type { Action } from '../../core/model/actions.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { Kit } from '../../ports/kit.ts';
import { describeAction } from './describe-action.ts';
import type { ActionResult } from './perform-action.ts';

export function logPerformed(
  { logger, clock }: Pick<Kit, 'logger' | 'clock'>,
  { pod, uid }: DesiredPod,
  action: Action,
  result: ActionResult,
  /** Steady time. */
  startedMs: number,
): void {
  const fields = {
    pod: podRef(pod),
    podUid: uid,
    action: describeAction(action),
    durationMs: Math.round(clock.steady() - startedMs),
  };
  if (result.kind === 'done') {
    logger.debug({ file: 'log-performed', level: 2 }, 'performed', fields);
    return;
  }
  const retryInMs = Math.round(result.retryAtMs - clock.now());
  logger.warn('action failed', { ...fields, err: result.message, retryInMs });
}
