/**
 * What one probe of one container instance has found so far. Pure: the loop
 * that measures hands in each outcome and reads off the result to publish.
 *
 *   new instance ─► initial result ─► threshold reached ─► published ─┬─► measured on
 *                                                                     └─► on hold, for good
 *
 * On hold after a failed liveness probe (the instance will be replaced) and
 * after any result of a startup probe (its work is done). A new instance
 * starts with a new state, so a result never outlives what it measured.
 */
import type { ProbeKind, ProbeOutcome } from '../model/probe-results.ts';

/** An instance this much older than the agent was measured by a previous run. */
const OLDER_THAN_AGENT_MS = 10_000;

/** One run of a probe; an error says nothing about the container. */
export type Measurement = 'success' | 'failure' | 'error';

export interface ProbeThresholds {
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

export interface ProbeState {
  /** What decisions and status see; undefined while nothing is known. */
  readonly result: ProbeOutcome | undefined;
  readonly last: 'success' | 'failure' | undefined;
  /** Equal measurements in a row. */
  readonly streak: number;
  readonly onHold: boolean;
}

export interface InstanceAge {
  readonly startedAtMs: number;
  readonly agentStartedAtMs: number;
  /** A previous run of the agent found, or published, that the instance has started. */
  readonly knownStarted: boolean;
  /** A previous run of the agent found the instance ready. */
  readonly knownReady: boolean;
}

const INITIAL: Readonly<Record<ProbeKind, ProbeOutcome>> = {
  liveness: 'success',
  readiness: 'failure',
  startup: 'unknown',
};

/**
 * The state of an instance that was not measured yet. One that ran before the
 * agent has no result at all, so that what was published about it stays.
 */
export function toInitialState(kind: ProbeKind, age: InstanceAge): ProbeState {
  if (kind === 'startup' && age.knownStarted)
    return { result: 'success', last: undefined, streak: 0, onHold: true };
  if (kind === 'readiness' && age.knownReady)
    return { result: 'success', last: undefined, streak: 0, onHold: false };
  const adopted = age.startedAtMs < age.agentStartedAtMs - OLDER_THAN_AGENT_MS;
  return { result: adopted ? undefined : INITIAL[kind], last: undefined, streak: 0, onHold: false };
}

/** The state after one more measurement; an error and anything on hold change nothing. */
export function toNextState(
  kind: ProbeKind,
  thresholds: ProbeThresholds,
  state: ProbeState,
  measured: Measurement,
): ProbeState {
  if (state.onHold || measured === 'error') return state;
  const streak = measured === state.last ? state.streak + 1 : 1;
  const needed = measured === 'success' ? thresholds.successThreshold : thresholds.failureThreshold;
  if (streak < needed) return { ...state, last: measured, streak };
  const onHold = kind === 'startup' || (kind === 'liveness' && measured === 'failure');
  return { result: measured, last: measured, streak: onHold ? 0 : streak, onHold };
}

/** Startup probes run until the container has started, the others from then on. */
export function mayMeasure(kind: ProbeKind, state: ProbeState, started: boolean): boolean {
  return !state.onHold && (kind === 'startup') !== started;
}
