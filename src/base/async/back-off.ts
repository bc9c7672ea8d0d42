/**
 * Exponential back-off as data: an entry says how long the current delay is
 * and when it was last advanced. The holder keeps entries; these functions
 * only compute, so the same rules serve crash loops, image pulls and retries.
 */

export interface BackOffPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** An entry not advanced for longer than this counts as absent. */
  readonly forgetAfterMs: number;
}

export interface BackOffEntry {
  readonly delayMs: number;
  readonly updatedAtMs: number;
}

/** Times of the same moment, taken by different programs, differ by less. */
export const CLOCK_SKEW_MS = 5_000;

/** True when the event at `eventMs` comes so long after the last advance that the series is reset. */
export function isForgotten(
  policy: BackOffPolicy,
  entry: BackOffEntry | undefined,
  eventMs: number,
): boolean {
  return entry === undefined || eventMs - entry.updatedAtMs > policy.forgetAfterMs;
}

/**
 * The time until which the thing that ended at `eventMs` must wait, or
 * undefined when it may continue now.
 */
export function backOffUntil(
  policy: BackOffPolicy,
  entry: BackOffEntry | undefined,
  eventMs: number,
  nowMs: number,
): number | undefined {
  if (entry === undefined || isForgotten(policy, entry, eventMs)) return undefined;
  // The end lies in the future: the clock was set back, and the time since the end is unknown.
  if (eventMs > nowMs + CLOCK_SKEW_MS) return undefined;
  const until = eventMs + entry.delayMs;
  return nowMs < until ? until : undefined;
}

/** The entry after one more allowed attempt at `nowMs`, for a thing that ended at `eventMs`. */
export function advanceBackOff(
  policy: BackOffPolicy,
  entry: BackOffEntry | undefined,
  eventMs: number,
  nowMs: number,
): BackOffEntry {
  const initialMs = Math.min(policy.initialMs, policy.maxMs);
  if (entry === undefined || isForgotten(policy, entry, eventMs))
    return { delayMs: initialMs, updatedAtMs: nowMs };
  return { delayMs: Math.min(entry.delayMs * policy.factor, policy.maxMs), updatedAtMs: nowMs };
}
