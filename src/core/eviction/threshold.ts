/**
 * Thresholds of eviction from the configuration's text. A hard one acts at
 * once, a soft one after its grace period. `0%` and `100%` switch a threshold
 * off. A percentage is held with the precision the upstream kubelet holds it
 * with, so that both act at the same byte.
 */
import { parseQuantity, type Quantity, quantityToBytes, wholeQuantity } from '../api/quantity.ts';
import { type EvictionSignal, isSignal } from './signals.ts';

export type ThresholdValue =
  | { readonly kind: 'quantity'; readonly quantity: Quantity }
  /** A fraction of the capacity. */
  | { readonly kind: 'fraction'; readonly fraction: number };

export interface Threshold {
  readonly signal: EvictionSignal;
  readonly value: ThresholdValue;
  /** 0 for a hard threshold. */
  readonly graceMs: number;
  /** How far above the value the signal must rise before it counts as recovered. */
  readonly minReclaim: ThresholdValue | undefined;
}

/** The configuration's maps, validated before: signal to quantity or percentage. */
export interface ThresholdSettings {
  readonly hard: Readonly<Record<string, string>>;
  readonly soft: Readonly<Record<string, string>>;
  /** By signal. */
  readonly softGraceMs: Readonly<Record<string, number>>;
  readonly minReclaim: Readonly<Record<string, string>>;
  /** The limit of all pods together is a limit too: pods are evicted before it is reached. */
  readonly enforcesPods: boolean;
}

/** Hard thresholds first, then soft ones. */
export function toThresholds(settings: ThresholdSettings): Threshold[] {
  const toList = (map: Readonly<Record<string, string>>, isSoft: boolean): Threshold[] =>
    Object.entries(map).flatMap(([signal, text]) => {
      const value = parseThresholdValue(text);
      if (!isSignal(signal) || value === undefined) return [];
      const graceMs = isSoft ? (settings.softGraceMs[signal] ?? 0) : 0;
      return [{ signal, value, graceMs, minReclaim: reclaimOf(settings, signal) }];
    });
  const hard = toList(settings.hard, false);
  const memory = hard.find(({ signal }) => signal === 'memory.available');
  const allocatable: Threshold[] =
    settings.enforcesPods && memory !== undefined
      ? [{ ...memory, signal: 'allocatableMemory.available' }]
      : [];
  return [...hard, ...allocatable, ...toList(settings.soft, true)];
}

/** Undefined where the text switches the threshold off. Throws SyntaxError for text that is no quantity. */
export function parseThresholdValue(text: string): ThresholdValue | undefined {
  if (text === '0%' || text === '100%') return undefined;
  if (!text.endsWith('%')) return { kind: 'quantity', quantity: parseQuantity(text) };
  const percent = Math.fround(Number(text.slice(0, -1)));
  return { kind: 'fraction', fraction: Math.fround(percent / 100) };
}

/** The value in the signal's unit, for a given capacity. */
export function toThresholdQuantity(value: ThresholdValue, capacity: number): Quantity {
  if (value.kind === 'quantity') return value.quantity;
  return wholeQuantity(Math.trunc(capacity * value.fraction), 'BinarySI');
}

export function toThresholdAmount(value: ThresholdValue | undefined, capacity: number): number {
  return value === undefined ? 0 : quantityToBytes(toThresholdQuantity(value, capacity));
}

export function isHard({ graceMs }: Threshold): boolean {
  return graceMs === 0;
}

function reclaimOf({ minReclaim }: ThresholdSettings, signal: EvictionSignal): ThresholdValue | undefined {
  const text = minReclaim[signal];
  return text === undefined ? undefined : parseThresholdValue(text);
}
