/**
 * When memory has to be looked at again: a process can take it much faster
 * than the period of the eviction loop passes, so the next look comes before
 * the nearest threshold can be reached. With plenty of memory left this never
 * shortens the period.
 */
import type { Observations } from './observations.ts';
import { resourceOf } from './signals.ts';
import { type Threshold, toThresholdAmount } from './threshold.ts';

/** The fastest growth that is reckoned with: one gibibyte a second. */
const BYTES_PER_MS = 1024 ** 3 / 1000;
const SHORTEST_MS = 250;

/** Infinity when no threshold of memory can be reached. */
export function computeMemoryCheckMs(thresholds: readonly Threshold[], observations: Observations): number {
  const waits = thresholds.flatMap(({ signal, value }) => {
    const observation = resourceOf(signal) === 'memory' ? observations.get(signal) : undefined;
    if (observation === undefined) return [];
    const headroom = observation.available - toThresholdAmount(value, observation.capacity);
    return [Math.max(SHORTEST_MS, headroom / BYTES_PER_MS)];
  });
  return Math.min(Infinity, ...waits);
}
