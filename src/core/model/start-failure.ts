/**
 * A step that failed and will be retried: what to show until then and when the
 * retry is due. Kept per container name by the pod's worker, read by decisions
 * (no retry before its time) and by status (waiting reason).
 */

export interface StartFailure {
  /** The API's waiting reason, such as `ErrImagePull` or `CreateContainerError`. */
  readonly reason: string;
  readonly message: string;
  readonly failedAtMs: number;
  readonly retryAtMs: number;
}

/** The pod itself could not go on: its sandbox could not be made or something could not be stopped. */
export interface PodFailure {
  readonly step: string;
  readonly message: string;
  readonly failedAtMs: number;
  readonly retryAtMs: number;
}

export interface WaitingReason {
  readonly reason: string;
  readonly message: string;
}

/** True when the retry is due; also when the failure lies in the future, because the clock was set back. */
export function isDue(failure: Pick<PodFailure, 'failedAtMs' | 'retryAtMs'>, nowMs: number): boolean {
  return nowMs >= failure.retryAtMs || nowMs < failure.failedAtMs;
}

/** How long a failed pull is shown as the error itself before it is shown as waiting for the retry. */
const SHOW_PULL_ERROR_MS = 1_000;

/** Failures of a pull itself; the next one waits for the pull back-off. */
const PULL_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

/** What the status shows at `nowMs`, and when that changes by itself. */
export function toWaitingReason(
  failure: StartFailure,
  image: string,
  nowMs: number,
): WaitingReason & { changesAtMs?: number } {
  if (!PULL_REASONS.has(failure.reason)) return { reason: failure.reason, message: failure.message };
  const changesAtMs = failure.failedAtMs + SHOW_PULL_ERROR_MS;
  if (nowMs < changesAtMs) return { reason: failure.reason, message: failure.message, changesAtMs };
  return {
    reason: 'ImagePullBackOff',
    message: `Back-off pulling image "${image}": ${failure.reason}: ${failure.message}`,
  };
}
