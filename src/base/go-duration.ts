/**
 * Prints durations as Go programs do: `1.5s`, `2m3.25s`, `120ms`, `1h0m0s`.
 * Kubernetes configuration and messages have this form; reading it back is
 * `parse-duration-nanos.ts`.
 */

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
