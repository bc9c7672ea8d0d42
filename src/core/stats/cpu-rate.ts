/**
 * How much CPU was used per second between two samples. Samples that are close
 * together say little, so the older one is kept until enough time has passed.
 */

/** Below this the resolution of the kernel's counter shows. */
const MIN_INTERVAL_MS = 1_000;
/** Above this the rate would be that of another time. */
const MAX_INTERVAL_MS = 120_000;
const NS_PER_MS = 1e6;

export interface CpuPoint {
  readonly atMs: number;
  readonly usageNs: number;
}

/** What is remembered of a cgroup between samples. */
export interface CpuHistory {
  readonly last: CpuPoint;
  /** Nano-cores; undefined before there were two samples. */
  readonly rate: number | undefined;
}

/**
 * With a new sample. A counter that fell (the cgroup was made again), a clock
 * that was set back, and a long silence begin a new history.
 */
export function advanceCpu(before: CpuHistory | undefined, now: CpuPoint): CpuHistory {
  if (before === undefined) return { last: now, rate: undefined };
  const elapsedMs = now.atMs - before.last.atMs;
  const usedNs = now.usageNs - before.last.usageNs;
  if (usedNs < 0 || elapsedMs < 0 || elapsedMs > MAX_INTERVAL_MS) return { last: now, rate: undefined };
  if (elapsedMs < MIN_INTERVAL_MS) return before;
  return { last: now, rate: Math.floor((usedNs / (elapsedMs * NS_PER_MS)) * 1e9) };
}
