/**
 * The scale of a waterfall: from first sight until the pod was ready for the first time. What came later has its time
 * only, so that the start stays readable.
 */
import { renderHumanDuration } from '../../base/text/human-duration.ts';
import type { TimelineStep } from './timeline-step.ts';

const SECOND = 1000;

export interface TimelineScale {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Undefined when it was never ready. */
  readonly readyMs: number | undefined;
}

export function toTimelineScale(
  seenMs: number,
  steps: readonly Pick<TimelineStep, 'what' | 'startMs' | 'endMs'>[],
  nowMs: number,
): TimelineScale {
  const readyMs = steps.find(({ what }) => what === 'ready')?.startMs;
  const lastMs = Math.max(seenMs, ...steps.map(({ endMs }) => endMs ?? nowMs));
  return { fromMs: seenMs, untilMs: readyMs ?? lastMs, readyMs };
}

/** Where a time stands on it, from 0 to 1. */
export function toShare({ fromMs, untilMs }: TimelineScale, atMs: number): number {
  if (untilMs <= fromMs) return 0;
  return Math.max(0, (Math.min(atMs, untilMs) - fromMs) / (untilMs - fromMs));
}

/** `12ms`, `1.25s`, `12.5s`, then as ages. */
export function renderSpan(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(2)}s`;
  return ms < 100 * SECOND ? `${(ms / SECOND).toFixed(1)}s` : renderHumanDuration(ms);
}
