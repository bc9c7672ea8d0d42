/**
 * Conversions between thousandths of a core and the kernel's CPU settings.
 * All divisions drop the fraction, as the kernel's own numbers are whole.
 */

const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const SHARES_PER_CORE = 1024;
const MIN_QUOTA_US = 1000;

/** Relative weight; never below 2, so nothing starves completely. */
export function milliToShares(milli: number): number {
  const shares = Math.trunc((milli * SHARES_PER_CORE) / 1000);
  return Math.min(Math.max(shares, MIN_SHARES), MAX_SHARES);
}

/** Microseconds of CPU per period; 0 stands for no limit. */
export function milliToQuota(milli: number, periodUs: number): number {
  if (milli === 0) return 0;
  return Math.max(Math.trunc((milli * periodUs) / 1000), MIN_QUOTA_US);
}

/** Shares as the cgroup v2 `cpu.weight` of a cgroup the agent manages itself (linear). */
export function sharesToWeight(shares: number): number {
  if (shares >= MAX_SHARES) return 10_000;
  return Math.trunc(1 + ((Math.max(shares, MIN_SHARES) - 2) * 9999) / 262_142);
}

/** The reverse of {@link sharesToWeight}, as far as whole numbers allow. */
export function weightToShares(weight: number): number {
  return Math.trunc(((weight - 1) * 262_142) / 9999) + 2;
}

/** What a CPU request was, read back from shares; 0 when the shares stand for no request. */
export function sharesToMilli(shares: number): number {
  return shares < MIN_SHARES ? 0 : Math.ceil((shares * 1000) / SHARES_PER_CORE);
}

/** What a CPU limit was, read back; 0 when there is none. */
export function quotaToMilli(quotaUs: number, periodUs: number): number {
  return quotaUs === -1 || periodUs === 0 ? 0 : Math.trunc((quotaUs * 1000) / periodUs);
}
