/**
 * Volumes come before the pod's sandbox and go after all that ran. Neither
 * holds a place in the start gate: a volume may take its time.
 */
import { done, type Performer } from '../perform-action.ts';
import type { VolumeReconciler } from '../volume-reconciler.ts';

export interface VolumeParts {
  readonly volumes: VolumeReconciler;
}

/** Which volume waits for what is in the message; the event was recorded per volume. */
export function createMountVolumes({ volumes }: VolumeParts): Performer<'mount-volumes'> {
  return async (_action, { record, signal }) => {
    const result = await volumes.mount(record.uid, record.pod, signal);
    if (result.ok) return done;
    const { message, retryAtMs } = result;
    return { kind: 'failed', reason: 'FailedMount', message, retryAtMs, endsPass: true };
  };
}

export function createUnmountVolumes({ volumes }: VolumeParts): Performer<'unmount-volumes'> {
  return async (_action, { record, signal }) => {
    await volumes.unmount(record.uid, record.pod, signal);
    return done;
  };
}
