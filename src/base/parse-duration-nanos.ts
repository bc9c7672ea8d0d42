/**
 * Reads durations as Go programs write them ("1m30s", "100ms"), exact to the
 * nanosecond: the form of every duration in Kubernetes configuration and in
 * what its plugins answer.
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

function termNanos(whole: string, fraction: string, unit: bigint): bigint {
  const wholeNanos = BigInt(whole === '' ? '0' : whole) * unit;
  if (fraction === '') return wholeNanos;
  return wholeNanos + (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
}
