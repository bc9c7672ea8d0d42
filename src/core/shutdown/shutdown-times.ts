/**
 * When the last shutdown of the node began and ended, as the upstream kubelet
 * keeps it over the reboot: `{"startTime":…,"endTime":…}`, a time that there
 * was not yet being Go's zero.
 */
export interface ShutdownTimes {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

const GO_ZERO_TIME = '0001-01-01T00:00:00Z';

export function renderShutdownTimes({ startMs, endMs }: ShutdownTimes): string {
  return JSON.stringify({ startTime: toText(startMs), endTime: toText(endMs) });
}

/** Undefined when the text is not such a file. */
export function parseShutdownTimes(text: string): ShutdownTimes | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof document !== 'object' || document === null) return undefined;
  const { startTime, endTime } = document as { readonly startTime?: unknown; readonly endTime?: unknown };
  return { startMs: toMs(startTime), endMs: toMs(endTime) };
}

function toText(ms: number | undefined): string {
  return ms === undefined ? GO_ZERO_TIME : new Date(ms).toISOString();
}

function toMs(time: unknown): number | undefined {
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
