/** Retries a review when the API server could not be reached; the caller is waiting, so only a few times. */
import type { Clock } from '../../base/async/clock.ts';
import { retry } from '../../base/async/retry.ts';
import type { RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError } from '../../base/errors.ts';

const TRIES = 5;
const REVIEW_RETRY: RetryPolicy = {
  initialMs: 500,
  maxMs: Number.POSITIVE_INFINITY,
  factor: 1.5,
  spread: 0.2,
};

/** Rejects with the last failure; at once when it is not retryable or `signal` aborts. */
export function askAgain<T>(
  ask: () => Promise<T>,
  around: { readonly clock: Clock; readonly random: () => number; readonly signal: AbortSignal },
): Promise<T> {
  const mayRetry = (error: unknown, failures: number): boolean =>
    error instanceof AgentError && error.retryable && failures < TRIES;
  return retry(ask, { ...around, policy: REVIEW_RETRY, mayRetry });
}
