/** The event of a pod whose state could not be read from the runtime. */
import { errorText } from '../../base/errors.ts';
import { NewSandboxUnreadError } from '../runtime/new-sandbox-unread-error.ts';

/** A sandbox whose status was never read is one that was just made. */
export function toReadFailure(error: Error): { readonly reason: string; readonly message: string } {
  if (error instanceof NewSandboxUnreadError)
    return {
      reason: 'FailedPodSandBoxStatus',
      message: `Unable to get pod sandbox status: ${errorText(error)}`,
    };
  return { reason: 'FailedSync', message: `error determining status: ${errorText(error)}` };
}
