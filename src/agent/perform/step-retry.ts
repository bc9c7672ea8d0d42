/** When a step that failed with a reason of its own is due again: after 10 to 15 s. */
import type { Clock } from '../../base/async/clock.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';

const STEP_RETRY: RetryPolicy = { initialMs: 10_000, maxMs: 10_000, spread: 0.5 };

/** The wall time of the next try. */
export function computeStepRetry({
  clock,
  random,
}: {
  readonly clock: Clock;
  readonly random: () => number;
}): number {
  return clock.now() + computeRetryDelay(STEP_RETRY, 0, random());
}
