/**
 * Go durations ("1m30s", "100ms"), the form every duration of the kubelet's configuration takes.
 * The effective configuration keeps durations as canonical text (branded `Duration`), so that it prints as
 * plain JSON; code that needs a number asks `durationMs`.
 * Invariant: a `Duration` always re-parses, to the same number of nanoseconds.
 */
import { parseDurationNanos, renderDurationNanos } from '../../base/text/go-duration.ts';

/** Canonical Go duration text, as `time.Duration.String` prints it: "0s", "1m0s", "1.5s", "100ms". */
export type Duration = string & { readonly __brand: 'Duration' };

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

/** A duration of so many nanoseconds. */
export function formatDuration(nanos: bigint): Duration {
  return renderDurationNanos(nanos) as Duration;
}
