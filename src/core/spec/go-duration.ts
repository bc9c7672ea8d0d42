/** Durations as Kubernetes messages print them: `1.5s`, `2m3.25s`, `120ms`, `1h0m0s`. */

/** Exact to the nanosecond; never negative here, as only waits are printed. */
export function renderGoDuration(ms: number): string {
  const ns = Math.round(ms * 1_000_000);
  if (ns === 0) return '0s';
  if (ns < 1_000) return `${ns}ns`;
  if (ns < 1_000_000) return `${fraction(ns, 3)}µs`;
  if (ns < 1_000_000_000) return `${fraction(ns, 6)}ms`;
  const minutes = Math.floor(ns / 60_000_000_000);
  const seconds = `${fraction(ns % 60_000_000_000, 9)}s`;
  if (minutes >= 60) return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** `value` divided by ten to the `digits`, without trailing zeros. */
function fraction(value: number, digits: number): string {
  const scale = 10 ** digits;
  const rest = String(value % scale)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  const whole = Math.floor(value / scale);
  return rest === '' ? String(whole) : `${whole}.${rest}`;
}
