/**
 * When the writes of a watched log call for a look: when they have gone on for
 * half of the time in which a quick writer could fill it. A line now and then,
 * or a few at once, call for none.
 */
import { type LogPace, type LogPaceLimits, toSafeMs } from './log-pace.ts';

/** Writes without a pause between them. */
export interface LogWrites {
  readonly sinceMs: number;
  readonly lastMs: number;
}

/** Writes this far apart are not one stretch; on a busy machine the agent learns of each some milliseconds late. */
const PAUSE_MS = 50;
/** The longest time for which writes may go on without a look. */
const MAX_UNSEEN_MS = 100;

export function computeLogWrites(before: LogWrites | undefined, nowMs: number): LogWrites {
  const goesOn = before !== undefined && nowMs - before.lastMs <= PAUSE_MS;
  return { sinceMs: goesOn ? before.sinceMs : nowMs, lastMs: nowMs };
}

export function needsLook({ sinceMs, lastMs }: LogWrites, pace: LogPace, limits: LogPaceLimits): boolean {
  return lastMs - sinceMs >= Math.min(MAX_UNSEEN_MS, toSafeMs(pace, limits) / 2);
}
