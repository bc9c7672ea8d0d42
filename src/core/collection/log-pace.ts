/**
 * When a log is looked at next: when it can be full at the rate at which it
 * grows, and at the latest after the monitor interval. A log that was not
 * looked at before is looked at again soon, then at distances as long as it has
 * been known, so that one which fills quickly from the start is noticed in time.
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
/**
 * Shorter distances would only repeat what was just seen. 50 MB/s into a log of
 * 10 MiB is a tenth of it in this time.
 */
const MIN_WAIT_MS = 20;
/** Aimed at a little beyond the limit: a look just before it would find nothing to do. */
const AIM = 1.01;
/**
 * The most by which a rotation begins early, as a share of the size: on a busy
 * machine it takes so long that a quick writer fills a third of the file meanwhile.
 */
const MAX_EARLY = 0.5;

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
  return toPace({ sizeBytes, lookedAtMs: nowMs, knownSinceMs: before.knownSinceMs, rate }, limits);
}

/** Whether the log has its size now, or by the end of a rotation that begins now. */
export function isLogFull({ sizeBytes, rate }: LogPace, limits: LogPaceLimits): boolean {
  return sizeBytes >= limits.maxBytes - toEarlyBytes(rate, limits);
}

/** After a rotation the file is empty, and its writer as quick as before. */
export function restartLogPace(before: LogPace, nowMs: number, limits: LogPaceLimits): LogPace {
  return toPace({ ...before, sizeBytes: 0, lookedAtMs: nowMs }, limits);
}

/** When that is. What is looked at in the slowest rhythm is looked at together with all others that are. */
export function toNextLookMs({ lookedAtMs, waitMs }: LogPace, { monitorIntervalMs }: LogPaceLimits): number {
  if (waitMs < monitorIntervalMs) return lookedAtMs + waitMs;
  return (Math.floor(lookedAtMs / monitorIntervalMs) + 1) * monitorIntervalMs;
}

function toPace(seen: Omit<LogPace, 'waitMs'>, limits: LogPaceLimits): LogPace {
  const { maxBytes, monitorIntervalMs } = limits;
  const { sizeBytes, rate, lookedAtMs, knownSinceMs } = seen;
  const goal = maxBytes * AIM - toEarlyBytes(rate, limits);
  const untilFullMs = rate === 0 ? Number.POSITIVE_INFINITY : (goal - sizeBytes) / rate;
  const knownForMs = Math.max(FIRST_WAIT_MS, lookedAtMs - knownSinceMs);
  return { ...seen, waitMs: Math.min(monitorIntervalMs, knownForMs, Math.max(MIN_WAIT_MS, untilFullMs)) };
}

function toEarlyBytes(rate: number, { maxBytes, leadMs = 0 }: LogPaceLimits): number {
  return Math.min(maxBytes * MAX_EARLY, rate * leadMs);
}
