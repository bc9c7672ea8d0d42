/**
 * When the node has to be looked at again. While everything is far from its
 * threshold there is no hurry: the next look comes before the nearest one can
 * be reached. A process can take memory much faster than the shortest period
 * passes, so memory alone is looked at in between, as often as that needs.
 */
import type { Observations } from './observations.ts';
import { type EvictionResource, resourceOf } from './signals.ts';
import { type Threshold, toThresholdAmount } from './threshold.ts';

const GIB = 1024 ** 3;
/** The fastest use that is reckoned with, per second. */
const FASTEST: Readonly<Record<EvictionResource, number>> = {
  memory: GIB,
  'ephemeral-storage': GIB,
  inodes: 100_000,
  pids: 1_000,
};
const SHORTEST_MS = 250;
const LOOK_MS = { shortest: 10_000, longest: 30_000 };

/** Of memory alone: Infinity when no threshold of it can be reached. */
export function computeMemoryCheckMs(thresholds: readonly Threshold[], observations: Observations): number {
  const ofMemory = thresholds.filter(
    ({ signal }) => resourceOf(signal) === 'memory' && observations.has(signal),
  );
  return Math.max(SHORTEST_MS, computeNearestMs(ofMemory, observations));
}

/** Of everything: at the shortest period when something that has a threshold was not seen. */
export function computeLookMs(thresholds: readonly Threshold[], observations: Observations): number {
  const nearestMs = computeNearestMs(thresholds, observations);
  return Math.min(LOOK_MS.longest, Math.max(LOOK_MS.shortest, nearestMs));
}

function computeNearestMs(thresholds: readonly Threshold[], observations: Observations): number {
  const waits = thresholds.map(({ signal, value }) => {
    const observation = observations.get(signal);
    if (observation === undefined) return 0;
    const headroom = observation.available - toThresholdAmount(value, observation.capacity);
    return (headroom / FASTEST[resourceOf(signal)]) * 1000;
  });
  return Math.min(Infinity, ...waits);
}
