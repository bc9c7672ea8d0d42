/**
 * How much time pods get when the node shuts down, by their priority. The older form of the configuration, a total
 * and the part of it that is kept for critical pods, becomes two periods.
 */
export interface ShutdownPeriod {
  /** Of pods with this priority or a higher one, up to that of the next period. */
  readonly priority: number;
  /** Whole. */
  readonly seconds: number;
}

export interface ShutdownConfiguration {
  readonly totalMs: number;
  /** The last part of the total. */
  readonly criticalMs: number;
  /** Wins over the total where there is any. */
  readonly byPriority: readonly ShutdownPeriod[];
}

const DEFAULT_PRIORITY = 0;
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/** Lowest priority first; empty when the node is to shut down without regard for its pods. */
export function toShutdownPeriods({
  totalMs,
  criticalMs,
  byPriority,
}: ShutdownConfiguration): ShutdownPeriod[] {
  if (byPriority.length > 0) return byPriority.toSorted((a, b) => a.priority - b.priority);
  if (totalMs <= 0 || criticalMs > totalMs) return [];
  return [
    { priority: DEFAULT_PRIORITY, seconds: toSeconds(totalMs - criticalMs) },
    { priority: SYSTEM_CRITICAL_PRIORITY, seconds: toSeconds(criticalMs) },
  ];
}

/** How long the shutdown has to be held up for all of them. */
export function sumPeriods(periods: readonly ShutdownPeriod[]): number {
  return periods.reduce((sum, { seconds }) => sum + seconds, 0);
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
