/**
 * Retries until it succeeds, with growing delays between attempts. The first
 * attempt is made at once.
 *
 * Invariants: one attempt at a time; no timer outlives the call; once the
 * signal has aborted there is no further attempt.
 */
import { type Clock, sleep } from './clock.ts';
import { computeRetryDelay, type RetryPolicy } from './retry-delay.ts';

export interface RetrySettings {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** A number in [0, 1) for a policy that spreads. */
  readonly random?: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Whether failure number `failures`, from 1, is retried after `delayMs`. Always without. */
  readonly mayRetry?: (error: unknown, failures: number, delayMs: number) => boolean;
}

/** What `work` resolves to. Rejects with its last error when that is not retried or `signal` aborts. */
export async function retry<T>(work: () => Promise<T>, settings: RetrySettings): Promise<T> {
  const { clock, policy, random, signal, mayRetry } = settings;
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted) throw error;
      const delayMs = computeRetryDelay(policy, failures - 1, random?.() ?? 0);
      if (mayRetry?.(error, failures, delayMs) === false) throw error;
      await sleep(clock, delayMs, signal);
      if (signal?.aborted) throw error;
    }
  }
}

export interface RetryUntilStoppedSettings {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly stop: AbortSignal;
  /** An attempt failed; the next one follows after `delayMs`. */
  readonly onFailure: (error: unknown, delayMs: number) => void;
}

/** Retries until it succeeds; undefined when `stop` aborts first. Being stopped is not a failure. */
export async function retryUntilStopped<T>(
  work: () => Promise<T>,
  { clock, policy, stop: signal, onFailure }: RetryUntilStoppedSettings,
): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  const mayRetry = (error: unknown, _failures: number, delayMs: number): boolean => {
    onFailure(error, delayMs);
    return true;
  };
  try {
    return await retry(work, { clock, policy, signal, mayRetry });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
