/**
 * When a log is looked at next: when it can be full at the rate at which it
 * grows, and at the latest after the monitor interval; one that is watched and
 * not written to needs no look (agent/logs/log-rotator.ts). A log that was not
 * looked at before is looked at again soon, then at distances thrice as long as it
 * has been known, so that one which fills quickly from the start is noticed in time.
 *
 *   slow ──written to for a while──► looked at ──grows quickly──► quick
 *     ▲    (log-writes.ts)                                          │
 *     └────────────────────── the rate has fallen ◄─────────────────┘
 *
 * A slow log needs looks only at its rate, for its writes are watched. A quick
 * one would wake the agent with each line: it is looked at in half the time in
 * which it will be full, and at least every {@link QUICK_LOOK_MS}.
 */

export interface LogPace {
  readonly sizeBytes: number;
  readonly lookedAtMs: number;
  /** When it was looked at for the first time. */
  readonly knownSinceMs: number;
  /** Bytes per millisecond; a rate that has fallen is believed by halves. */
  readonly rate: number;
  /** How long after this look the next one comes. */
  readonly waitMs: number;
}

export interface LogPaceLimits {
  readonly maxBytes: number;
  readonly monitorIntervalMs: number;
  /** How long a rotation takes, from the look to the new file: what is written meanwhile belongs to the old one. */
  readonly leadMs?: number;
}

const FIRST_WAIT_MS = 50;
/** Each look costs a file call and a wake-up, for every container that starts. */
const GROWTH = 3;
/** Shorter distances would only repeat what was just seen. */
const MIN_WAIT_MS = 5;
/** Aimed at a little beyond the limit: a look just before it would find nothing to do. */
const AIM = 1.01;
/**
 * The most by which a rotation begins early, as a share of the size: on a busy
 * machine it takes so long that a quick writer fills a third of the file meanwhile.
 */
const MAX_EARLY = 0.5;
/** Bytes per millisecond that any writer may suddenly reach. */
const TOP_RATE = 50_000;
/** What a sudden writer may write beyond the limit before it is noticed, as a share of the size. */
const SLACK = 0.08;
/** A writer may become so many times as quick between two looks. */
const SPURT = 2;
/** One that has just become so many times as quick may be on its way to any rate. */
const RISE = 1.5;
/** Bytes per millisecond below which to be woken by writes is cheaper than looks: a hundred lines a second. */
const QUICK_RATE = 10;
/** The longest time for which a quick log may become much quicker without being noticed. */
export const QUICK_LOOK_MS = 1_000;

/** `before` is undefined at the first look. */
export function computeLogPace(
  before: LogPace | undefined,
  sizeBytes: number,
  nowMs: number,
  limits: LogPaceLimits,
): LogPace {
  if (before === undefined)
    return { sizeBytes, lookedAtMs: nowMs, knownSinceMs: nowMs, rate: 0, waitMs: FIRST_WAIT_MS };
  const elapsedMs = Math.max(1, nowMs - before.lookedAtMs);
  // A file that became smaller is another one, or was cut.
  const grown = sizeBytes < before.sizeBytes ? sizeBytes : sizeBytes - before.sizeBytes;
  const rate = Math.max(grown / elapsedMs, before.rate / 2);
  const seen = { sizeBytes, lookedAtMs: nowMs, knownSinceMs: before.knownSinceMs, rate };
  return toPace(seen, rate > RISE * before.rate ? TOP_RATE : 0, limits);
}

/** Whether the log has its size now, or by the end of a rotation that begins now. */
export function isLogFull({ sizeBytes, rate }: LogPace, limits: LogPaceLimits): boolean {
  return sizeBytes >= limits.maxBytes - toEarlyBytes(rate, limits);
}

/** Whether it grows so quickly that its writes are not worth watching. */
export function isLogQuick({ rate }: LogPace): boolean {
  return rate >= QUICK_RATE;
}

/** How long the log cannot be full yet, however quick its writer becomes. */
export function toSafeMs(
  { sizeBytes, rate }: Pick<LogPace, 'sizeBytes' | 'rate'>,
  limits: LogPaceLimits,
): number {
  return Math.max(MIN_WAIT_MS, toSafeBytes({ sizeBytes, rate }, limits) / Math.max(TOP_RATE, SPURT * rate));
}

/** After a rotation the file is empty, and its writer as quick as before. */
export function restartLogPace(before: LogPace, nowMs: number, limits: LogPaceLimits): LogPace {
  return toPace({ ...before, sizeBytes: 0, lookedAtMs: nowMs }, 0, limits);
}

/** When that is. What is looked at in the slowest rhythm is looked at together with all others that are. */
export function toNextLookMs({ lookedAtMs, waitMs }: LogPace, { monitorIntervalMs }: LogPaceLimits): number {
  return waitMs < monitorIntervalMs ? lookedAtMs + waitMs : toNextIntervalMs(lookedAtMs, monitorIntervalMs);
}

export function toNextIntervalMs(nowMs: number, monitorIntervalMs: number): number {
  return (Math.floor(nowMs / monitorIntervalMs) + 1) * monitorIntervalMs;
}

/** `reachable` is the rate that the writer may have by now, beyond what its own says. */
function toPace(seen: Omit<LogPace, 'waitMs'>, reachable: number, limits: LogPaceLimits): LogPace {
  const { maxBytes, monitorIntervalMs } = limits;
  const { sizeBytes, rate, lookedAtMs, knownSinceMs } = seen;
  const goal = maxBytes * AIM - toEarlyBytes(rate, limits);
  const untilFullMs = rate === 0 ? Number.POSITIVE_INFINITY : (goal - sizeBytes) / rate;
  const isQuick = rate >= QUICK_RATE;
  const safeMs = isQuick
    ? Math.min(QUICK_LOOK_MS, toSafeBytes(seen, limits) / Math.max(reachable, SPURT * rate))
    : Number.POSITIVE_INFINITY;
  const unseenMs = GROWTH * Math.max(FIRST_WAIT_MS, lookedAtMs - knownSinceMs);
  const waitMs = Math.min(monitorIntervalMs, unseenMs, Math.max(MIN_WAIT_MS, Math.min(untilFullMs, safeMs)));
  return { ...seen, waitMs };
}

/** What may still be written before the log is noticed too late. */
function toSafeBytes(
  { sizeBytes, rate }: Pick<LogPace, 'sizeBytes' | 'rate'>,
  limits: LogPaceLimits,
): number {
  const room = limits.maxBytes * AIM - toEarlyBytes(rate, limits) - sizeBytes;
  return Math.max(room, limits.maxBytes * SLACK);
}

function toEarlyBytes(rate: number, { maxBytes, leadMs = 0 }: LogPaceLimits): number {
  return Math.min(maxBytes * MAX_EARLY, rate * leadMs);
}
