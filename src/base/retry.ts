/**
 * Tries something again until it works, with growing delays between tries.
 * The first try is made at once.
 *
 * Invariants: one try at a time; no timer outlives the call; once the signal
 * has aborted nothing is tried again.
 */
import { type Clock, sleep } from './clock.ts';
import { computeRetryDelay, type RetryPolicy } from './retry-delay.ts';

export interface RetrySettings {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** A number in [0, 1) for a policy that spreads. */
  readonly random?: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Whether failure number `failures`, from 1, is worth another try after `delayMs`. Always without. */
  readonly mayRetry?: (error: unknown, failures: number, delayMs: number) => boolean;
}

/** What `work` resolves to. Rejects with its last error when that is not worth another try or `signal` aborts. */
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
  /** A try failed; the next one follows after `delayMs`. */
  readonly onFailure: (error: unknown, delayMs: number) => void;
}

/** Tries until it works; undefined when `stop` aborts first. Being stopped is no failure. */
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
