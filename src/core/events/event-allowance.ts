/**
 * How many events an object may still have written: 25 at once, then one every
 * five minutes. Keeps one broken pod from filling the API server.
 */

const BURST = 25;
const REFILL_MS = 300_000;

export interface EventAllowance {
  readonly tokens: number;
  readonly filledAtMs: number;
}

export interface AllowanceAnswer {
  readonly allowance: EventAllowance;
  readonly isAllowed: boolean;
}

export function takeAllowance(known: EventAllowance | undefined, nowMs: number): AllowanceAnswer {
  const { tokens, filledAtMs } = known ?? { tokens: BURST, filledAtMs: nowMs };
  // A clock that was set back must not reduce the allowance.
  const filled = Math.min(BURST, tokens + Math.max(0, nowMs - filledAtMs) / REFILL_MS);
  const isAllowed = filled >= 1;
  return { allowance: { tokens: isAllowed ? filled - 1 : filled, filledAtMs: nowMs }, isAllowed };
}
