/**
 * Volumes come before the pod's sandbox and go after all that ran. Neither
 * holds a place in the start gate: a volume may take its time.
 */
import type { PodUid } from '../../core/model/ids.ts';
import { done, type Performer } from '../pod/perform-action.ts';
import type { VolumeReconciler } from '../volume/volume-reconciler.ts';

export interface VolumeParts {
  readonly volumes: VolumeReconciler;
  /** The node does not take the pod after all. */
  readonly reject: (uid: PodUid, why: { readonly reason: string; readonly message: string }) => void;
}

/** Which volume waits for what is in the message; the event was recorded per volume. */
export function mountVolumesPerformer({ volumes, reject }: VolumeParts): Performer<'mount-volumes'> {
  return async (_action, { record, signal }) => {
    const result = await volumes.mount(record.uid, record.pod, signal);
    if (result.ok) return done;
    const { message, retryAtMs, rejection } = result;
    if (rejection !== undefined) {
      reject(record.uid, rejection);
      return { kind: 'failed', ...rejection, retryAtMs, endsPass: true };
    }
    return { kind: 'failed', reason: 'FailedMount', message, retryAtMs, endsPass: true };
  };
}

export function unmountVolumesPerformer({
  volumes,
}: Pick<VolumeParts, 'volumes'>): Performer<'unmount-volumes'> {
  return async (_action, { record, signal }) => {
    await volumes.unmount(record.uid, record.pod, signal);
    return done;
  };
}
