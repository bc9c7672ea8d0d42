/** Checks of the agent itself: whether it still looks at the runtime, can log, and what it knows of the runtime. */
import { type Clock, toWall } from '../../base/async/clock.ts';
import type { HealthCheck } from './health-check.ts';

/** The loop counts as stuck after so long, or twice the sync frequency if that is longer. */
const SYNC_LIMIT_MS = 300_000;

export interface SyncLoopSigns {
  readonly clock: Clock;
  /** Steady time. */
  readonly observer: { readonly lastRelistMs: number | undefined };
  readonly syncMs: number;
}

export interface RuntimeSigns {
  readonly problem: string | undefined;
  /** Set while the runtime does not answer. */
  readonly absence: { readonly sinceMs: number; readonly why: string } | undefined;
}

/** The runtime is listed at least once a minute, whatever else happens: the agent's loop in one number. */
export function toSyncLoopCheck({ clock, observer, syncMs }: SyncLoopSigns): HealthCheck {
  const limitMs = Math.max(SYNC_LIMIT_MS, 2 * syncMs);
  const check = (): string | undefined => {
    const last = observer.lastRelistMs;
    if (last === undefined || clock.steady() - last <= limitMs) return undefined;
    return `sync Loop took longer than expected: last at ${new Date(toWall(clock, last)).toISOString()}`;
  };
  return { name: 'syncloop', check };
}

/** Lines are written as they come; nothing waits to be flushed, so only a closed output is wrong. */
export function toLogCheck(output: { readonly destroyed: boolean }): HealthCheck {
  return { name: 'log', check: () => (output.destroyed ? 'standard error is closed' : undefined) };
}

export function findRuntimeProblem(
  { problem, absence }: RuntimeSigns,
  networkProblem: string | undefined,
): string | undefined {
  if (absence === undefined) return problem ?? networkProblem;
  return `container runtime is away since ${new Date(absence.sinceMs).toISOString()}: ${absence.why}`;
}
