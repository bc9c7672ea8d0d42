/**
 * One look at the thresholds: which are met, what the node is short of, and
 * which threshold may be acted on now. The memory of earlier looks comes in
 * and goes out; nothing is kept here.
 *
 *   fine ──below value──► met ──grace over──► to act on ──above value + minimum reclaim──► recovered
 *
 * A condition stays for the transition period after its last threshold was
 * met, so that pods do not bounce between nodes.
 */
import type { Observation, Observations } from './observations.ts';
import { conditionOf, type EvictionSignal, type PressureCondition, resourceOf } from './signals.ts';
import { type Threshold, toThresholdAmount } from './threshold.ts';

export interface PressureMemory {
  /** Thresholds that were acted on, until they have recovered with their minimum reclaim. */
  readonly acted: readonly Threshold[];
  readonly firstMetMs: ReadonlyMap<Threshold, number>;
  readonly lastConditionMs: ReadonlyMap<PressureCondition, number>;
  readonly lastObserved: Observations;
}

export interface Pressure {
  readonly memory: PressureMemory;
  readonly conditions: readonly PressureCondition[];
  /** Those whose grace is over and whose reading is new, most urgent first. */
  readonly due: readonly Threshold[];
  /** When a soft threshold that is met now will be due. */
  readonly wakeAtMs: number | undefined;
}

export const NO_PRESSURE_YET: PressureMemory = {
  acted: [],
  firstMetMs: new Map(),
  lastConditionMs: new Map(),
  lastObserved: new Map(),
};

export interface PressureInput {
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
  readonly memory: PressureMemory;
  readonly transitionMs: number;
  readonly nowMs: number;
}

export function assessPressure({
  thresholds,
  observations,
  memory,
  transitionMs,
  nowMs,
}: PressureInput): Pressure {
  const met = new Set([
    ...findMet(thresholds, observations, false),
    ...findMet(memory.acted, observations, true),
  ]);
  const firstMetMs = new Map([...met].map((one) => [one, memory.firstMetMs.get(one) ?? nowMs]));
  const seenNow = [...met].map(({ signal }) => [conditionOf(signal), nowMs] as const);
  const lastConditionMs = new Map([...memory.lastConditionMs, ...seenNow]);
  const conditions = [...lastConditionMs].filter(([, atMs]) => nowMs - atMs < transitionMs || atMs === nowMs);
  const acted = [...met].filter((one) => nowMs - (firstMetMs.get(one) ?? nowMs) >= one.graceMs);
  const due = acted.filter(({ signal }) => isNew(signal, observations, memory.lastObserved));
  const waiting = [...met].filter((one) => !acted.includes(one));
  return {
    memory: { acted, firstMetMs, lastConditionMs: new Map(conditions), lastObserved: observations },
    conditions: conditions.map(([condition]) => condition),
    due: due.toSorted((a, b) => urgency(a) - urgency(b)),
    wakeAtMs: waiting.length === 0 ? undefined : Math.min(...waiting.map(dueAt)),
  };

  function dueAt(one: Threshold): number {
    return (firstMetMs.get(one) ?? nowMs) + one.graceMs;
  }
}

/** With `recovering`, a threshold counts until the signal is above its value and the minimum reclaim. */
export function findMet(
  thresholds: readonly Threshold[],
  observations: Observations,
  recovering: boolean,
): Threshold[] {
  return thresholds.filter((threshold) => {
    const observation = observations.get(threshold.signal);
    return observation !== undefined && observation.available < toLine(threshold, observation, recovering);
  });
}

function toLine({ value, minReclaim }: Threshold, { capacity }: Observation, recovering: boolean): number {
  return toThresholdAmount(value, capacity) + (recovering ? toThresholdAmount(minReclaim, capacity) : 0);
}

/** A reading that was acted on before says nothing about what that has changed. */
function isNew(signal: EvictionSignal, now: Observations, before: Observations): boolean {
  const [current, last] = [now.get(signal), before.get(signal)];
  return current !== undefined && (last === undefined || current.atMs > last.atMs);
}

function urgency({ signal }: Threshold): number {
  return resourceOf(signal) === 'memory' ? 0 : 1;
}
