/**
 * When a probe is due. Each probe has a ticker of its own: ticks are one
 * period apart, counted from when the pod was first seen, and a container is
 * measured at the ticks that fall after its start and initial delay. A probe
 * that takes longer than its period loses ticks, it never piles them up.
 *
 * A container that was just started is also probed between ticks, at first
 * often, so that readiness is seen early and not only at the next tick.
 */
import type { Probe } from '../api/pod.ts';
import type { ProbeThresholds } from './probe-state.ts';

export interface ProbeTiming extends ProbeThresholds {
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
}

const FIRST_EAGER_WAIT_MS = 250;

/** The settings of a probe with the API's defaults. */
export function toProbeTiming(probe: Probe): ProbeTiming {
  return {
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs: (probe.periodSeconds || 10) * 1000,
    timeoutMs: (probe.timeoutSeconds || 1) * 1000,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}

/** The first tick, somewhere in the first period: many pods may start at once, and their probes are spread. */
export function computeFirstTick(nowMs: number, periodMs: number, random: number): number {
  return nowMs + random * periodMs;
}

/** The first tick of the series from `tickMs` on that is not before `earliestMs`. */
export function computeTickFrom(tickMs: number, periodMs: number, earliestMs: number): number {
  // More than a period ahead: the clock was set back, and the series goes with it.
  if (tickMs > earliestMs + periodMs) return earliestMs + ((tickMs - earliestMs) % periodMs);
  if (earliestMs <= tickMs) return tickMs;
  return tickMs + Math.ceil((earliestMs - tickMs) / periodMs) * periodMs;
}

/** The tick after `lastMs`; when ticks were missed only the latest of them is run. */
export function computeNextTick(lastMs: number, periodMs: number, nowMs: number): number {
  // A tick in the future: the clock was set back.
  if (nowMs < lastMs) return nowMs + periodMs;
  const missed = Math.floor((nowMs - lastMs) / periodMs);
  return lastMs + Math.max(1, missed) * periodMs;
}

/** The next run between ticks: each wait is as long as all before it together. */
export function computeEagerRun(sinceMs: number, nowMs: number): number {
  return nowMs + Math.max(FIRST_EAGER_WAIT_MS, nowMs - sinceMs);
}
