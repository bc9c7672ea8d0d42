/**
 * When a computed node status is written: at once when it changed, else so
 * often that the cluster knows it is current. After a change the next regular
 * report is moved by up to half a period, so that nodes that changed together
 * do not keep reporting together.
 */

export interface ReportMemory {
  readonly reportedAtMs: number;
  /** Added to the period of the next regular report. */
  readonly delayMs: number;
}

/** `memory` is undefined before the first report. */
export function isReportDue(
  memory: ReportMemory | undefined,
  changed: boolean,
  periodMs: number,
  nowMs: number,
): boolean {
  if (changed || memory === undefined) return true;
  return nowMs - memory.reportedAtMs >= periodMs + memory.delayMs;
}

/** After a report that arrived; `random` is in [0, 1). */
export function toReportMemory(
  memory: ReportMemory | undefined,
  changed: boolean,
  periodMs: number,
  nowMs: number,
  random: number,
): ReportMemory {
  const spread = changed || memory === undefined;
  return { reportedAtMs: nowMs, delayMs: spread ? periodMs * (random - 0.5) : 0 };
}
