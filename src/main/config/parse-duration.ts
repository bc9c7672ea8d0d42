/**
 * Go durations ("1m30s", "100ms"), the form every duration of the kubelet's configuration takes.
 * The effective configuration keeps durations as canonical text (branded `Duration`), so that it prints as
 * plain JSON; code that needs a number asks `durationMs`.
 * Invariant: a `Duration` always re-parses, to the same number of nanoseconds.
 */

/** Canonical Go duration text, as `time.Duration.String` prints it: "0s", "1m0s", "1.5s", "100ms". */
export type Duration = string & { readonly __brand: 'Duration' };

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5, micro sign
  μs: 1_000n, // U+03BC, Greek mu
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const TERM = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
const MAX_NANOS = 2n ** 63n - 1n;

/** Nanoseconds of a Go duration text, or `undefined` when the text is malformed or out of the int64 range. */
export function parseDurationNanos(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  const body = negative || text.startsWith('+') ? text.slice(1) : text;
  if (body === '0') return 0n;
  if (body === '') return undefined;
  let total = 0n;
  TERM.lastIndex = 0;
  while (TERM.lastIndex < body.length) {
    const match = TERM.exec(body);
    if (match === null) return undefined;
    const [, whole = '', fraction = '', unit = ''] = match;
    if (whole === '' && fraction === '') return undefined;
    total += termNanos(whole, fraction, UNIT_NANOS[unit] ?? 0n);
    if (total > MAX_NANOS + (negative ? 1n : 0n)) return undefined;
  }
  return negative ? -total : total;
}

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

function termNanos(whole: string, fraction: string, unit: bigint): bigint {
  const wholeNanos = BigInt(whole === '' ? '0' : whole) * unit;
  if (fraction === '') return wholeNanos;
  return wholeNanos + (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
}
