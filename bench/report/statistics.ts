/** The summary of a list of measurements. Pure. */

/** NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The smallest value that `share` (0 to 1) of the values do not exceed; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export function computeSpread(values: readonly number[]): Spread {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

export interface Line {
  readonly slope: number;
  /** Half the width of the interval that holds the slope with 95 %. */
  readonly margin: number;
}

/**
 * The straight line through points, by least squares. Neighbours in time
 * resemble each other (a heap goes up and down like a saw), so the margin is
 * computed from means of `blocks` stretches, not from every point.
 */
export function fitLine(points: readonly (readonly [x: number, y: number])[], blocks = 10): Line {
  const size = Math.max(1, Math.floor(points.length / blocks));
  const means = Array.from({ length: Math.floor(points.length / size) }, (_, block) => {
    const part = points.slice(block * size, (block + 1) * size);
    return [mean(part.map(([x]) => x)), mean(part.map(([, y]) => y))] as const;
  });
  const [meanX, meanY] = [mean(means.map(([x]) => x)), mean(means.map(([, y]) => y))];
  const sum = (of: (x: number, y: number) => number): number =>
    means.reduce((total, [x, y]) => total + of(x - meanX, y - meanY), 0);
  const squares = sum((x) => x * x);
  const slope = sum((x, y) => x * y) / squares;
  const rest = sum((x, y) => (y - slope * x) ** 2);
  const freedom = means.length - 2;
  return { slope, margin: freedom < 1 ? Number.NaN : STUDENT * Math.sqrt(rest / freedom / squares) };
}

/** Of Student's distribution with eight degrees of freedom, as ten blocks leave. */
const STUDENT = 2.31;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
