/**
 * When a pod began, for its active deadline, and the verdict on one that
 * exceeded it.
 */
import type { Pod } from '../api/pod.ts';
import type { PodStatus } from '../api/pod-status.ts';
import type { ObservedPod } from '../model/observed-pod.ts';
import type { FailureVerdict } from '../model/termination.ts';

export const DEADLINE_VERDICT: FailureVerdict = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/**
 * The start time that was published, here or to the API server; for a pod
 * that only the runtime remembers (a static one after a restart of the agent)
 * the creation of its oldest sandbox; else now.
 */
export function computeStartMs(
  pod: Pod,
  published: PodStatus | undefined,
  observed: ObservedPod,
  nowMs: number,
): number {
  const startedAtMs = Date.parse(published?.startTime ?? pod.status?.startTime ?? '');
  if (!Number.isNaN(startedAtMs)) return startedAtMs;
  return Math.min(nowMs, ...observed.sandboxes.map(({ createdAtMs }) => createdAtMs));
}
