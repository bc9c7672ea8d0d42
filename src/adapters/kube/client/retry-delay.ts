/** How long to wait before the next try: doubling to a cap, with the upper half drawn by lot. */

export interface RetryDelayPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
}

/**
 * The wait after `failures` earlier failures, from 0; `random` is in [0, 1).
 * Never above maxMs; many nodes that lost the same server come back spread out.
 */
export function computeRetryDelay(policy: RetryDelayPolicy, failures: number, random: number): number {
  const delayMs = Math.min(policy.initialMs * 2 ** Math.min(failures, 30), policy.maxMs);
  return delayMs * (0.5 + 0.5 * random);
}
