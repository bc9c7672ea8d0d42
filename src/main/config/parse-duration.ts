/**
 * Go durations ("1m30s", "100ms"), the form every duration of the kubelet's configuration takes.
 * The effective configuration keeps durations as canonical text (branded `Duration`), so that it prints as
 * plain JSON; code that needs a number asks `durationMs`.
 * Invariant: a `Duration` always re-parses, to the same number of nanoseconds.
 */
import { parseDurationNanos } from '../../base/parse-duration-nanos.ts';

/** Canonical Go duration text, as `time.Duration.String` prints it: "0s", "1m0s", "1.5s", "100ms". */
export type Duration = string & { readonly __brand: 'Duration' };

export { parseDurationNanos };

/** Canonical form of a duration text, or `undefined` when it is not a duration. */
export function parseDuration(text: string): Duration | undefined {
  const nanos = parseDurationNanos(text);
  return nanos === undefined ? undefined : formatDuration(nanos);
}

/** Milliseconds (possibly fractional) of a duration. */
export function durationMs(duration: Duration): number {
  return Number(durationNanos(duration)) / 1e6;
}

/**
 * Nanoseconds of a duration.
 * @throws RangeError when the brand was forged onto text that is not a duration (a programming error).
 */
export function durationNanos(duration: Duration): bigint {
  const nanos = parseDurationNanos(duration);
  if (nanos === undefined) throw new RangeError(`not a duration: ${JSON.stringify(duration)}`);
  return nanos;
}

/** A duration of so many milliseconds. */
export function durationOfMs(milliseconds: number): Duration {
  return formatDuration(BigInt(Math.round(milliseconds * 1e6)));
}

/** Prints nanoseconds as Go does: largest unit h, fractions only on the last unit, no trailing zeros. */
export function formatDuration(nanos: bigint): Duration {
  if (nanos === 0n) return '0s' as Duration;
  const sign = nanos < 0n ? '-' : '';
  const abs = nanos < 0n ? -nanos : nanos;
  return `${sign}${abs < 1_000_000_000n ? formatBelowSecond(abs) : formatClock(abs)}` as Duration;
}

function formatBelowSecond(nanos: bigint): string {
  if (nanos < 1_000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}µs`;
  return `${decimal(nanos, 6)}ms`;
}

function formatClock(nanos: bigint): string {
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  const fraction = (value % scale).toString().padStart(places, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}
