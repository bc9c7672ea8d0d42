/**
 * How long a rotation takes on this machine at this time, learned from what was
 * written to each file too late: timers that are late, calls that wait, and a
 * writer that is quicker than it was are all in it.
 */

export interface PastRotation {
  /** When the look was to be that found the log full, and when the runtime had a new file. */
  readonly plannedMs: number;
  readonly endedMs: number;
  readonly lookedAtMs: number;
  /** Bytes that the file got after that look, and the rate that was expected, per millisecond. */
  readonly grownBytes: number;
  readonly rate: number;
}

/** Where nothing was learned yet. */
export const FIRST_LEAD_MS = 15;
const MAX_LEAD_MS = 1_000;
/** A slow rotation is remembered for some ten more. */
const MEMORY = 0.8;

export function computeLeadMs(leadMs: number, past: PastRotation): number {
  const { plannedMs, lookedAtMs, endedMs, grownBytes, rate } = past;
  const tookMs = Math.max(0, endedMs - plannedMs);
  const lateMs = Math.max(0, lookedAtMs - plannedMs);
  // A single line of a slow writer is no sign of a slow machine.
  const grownMs = rate === 0 ? 0 : Math.min(grownBytes / rate, 2 * tookMs);
  return Math.min(MAX_LEAD_MS, Math.max(leadMs * MEMORY, lateMs + grownMs));
}
