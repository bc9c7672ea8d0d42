/**
 * Durations as Go programs write them: `1.5s`, `2m3.25s`, `120ms`, `1h0m0s`;
 * the form of every duration in Kubernetes configuration, in messages and in
 * what plugins answer. Read and printed exact to the nanosecond.
 */

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
const TERM = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
const MAX_NANOS = 2n ** 63n - 1n;

/** As `renderDurationNanos`, for milliseconds; exact to the nanosecond. */
export function renderGoDuration(ms: number): string {
  return renderDurationNanos(BigInt(Math.round(ms * 1_000_000)));
}

/** The largest unit is the hour, fractions stand only on the last unit, without trailing zeros. */
export function renderDurationNanos(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const abs = nanos < 0n ? -nanos : nanos;
  return `${sign}${abs < 1_000_000_000n ? renderBelowSecond(abs) : renderClock(abs)}`;
}

function renderBelowSecond(nanos: bigint): string {
  if (nanos < 1_000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}µs`;
  return `${decimal(nanos, 6)}ms`;
}

function renderClock(nanos: bigint): string {
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

function termNanos(whole: string, fraction: string, unit: bigint): bigint {
  const wholeNanos = BigInt(whole === '' ? '0' : whole) * unit;
  if (fraction === '') return wholeNanos;
  return wholeNanos + (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
}
