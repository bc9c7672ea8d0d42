/**
 * How long to wait before the next try: a delay that grows with the failures
 * in a row up to a cap, spread by chance so that many who failed together do
 * not come back together. What is remembered across successes, with a time
 * after which it is forgotten, is in back-off.ts.
 */

export interface RetryPolicy {
  readonly initialMs: number;
  /** The cap of the plain delay, before chance. */
  readonly maxMs: number;
  /** 2 without. */
  readonly factor?: number;
  /** The plain delay times at least this; 1 without. */
  readonly least?: number;
  /** And at most this much more, drawn by chance; 0 without. */
  readonly spread?: number;
}

/** Every policy has reached its cap by then; a power without bound would become infinite. */
const MAX_EXPONENT = 63;

/** The wait after `failures` earlier failures, from 0; `random` is in [0, 1). */
export function computeRetryDelay(policy: RetryPolicy, failures: number, random: number): number {
  const { initialMs, maxMs, factor = 2, least = 1, spread = 0 } = policy;
  const plainMs = Math.min(initialMs * factor ** Math.min(failures, MAX_EXPONENT), maxMs);
  return plainMs * (least + spread * random);
}
