/**
 * The delay before a retry: it grows with consecutive failures up to a cap,
 * with jitter so that callers that failed together do not retry together. A
 * back-off that survives successes and is forgotten after a time is in
 * back-off.ts.
 */

export interface RetryPolicy {
  readonly initialMs: number;
  /** The cap of the plain delay, before jitter. */
  readonly maxMs: number;
  /** 2 without. */
  readonly factor?: number;
  /** The plain delay times at least this; 1 without. */
  readonly least?: number;
  /** And at most this much more, at random; 0 without. */
  readonly spread?: number;
}

/** Every policy has reached its cap by then; a power without bound would become infinite. */
const MAX_EXPONENT = 63;

/** The delay after `failures` earlier failures, from 0; `random` is in [0, 1). */
export function computeRetryDelay(policy: RetryPolicy, failures: number, random: number): number {
  const { initialMs, maxMs, factor = 2, least = 1, spread = 0 } = policy;
  const plainMs = Math.min(initialMs * factor ** Math.min(failures, MAX_EXPONENT), maxMs);
  return plainMs * (least + spread * random);
}
