/** A pod whose end removes it, marked as the API server marks a deletion: so clients know it from its successor. */
import type { Pod } from '../api/pod.ts';
import { isHarder, type Termination } from '../model/termination.ts';
import { toApiTime } from './api-time.ts';

/** Unchanged for a pod that stays listed when it has ended. */
export function withDeletion(pod: Pod, { cause, requestedAtMs, graceSeconds }: Termination): Pod {
  const goes = isHarder(cause, 'evicted');
  if (!goes || pod.metadata.deletionTimestamp !== undefined) return pod;
  const grace = graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  const deletionTimestamp = toApiTime(requestedAtMs + grace * 1000);
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace } };
}
