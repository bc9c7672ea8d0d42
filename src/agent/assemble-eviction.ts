/** Wires eviction: what it measures with, what it may delete, and whom it may end. */
import type { NodeReclaim } from '../ports/host/node-reclaim.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AgentSettings } from './agent-ports.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import { CacheSparingStatistics } from './eviction/cache-sparing-statistics.ts';
import { Evictor } from './eviction/evictor.ts';
import { MemoryLimitWake } from './eviction/memory-limit-wake.ts';
import type { Statistics } from './stats/statistics.ts';
import type { VolumeMeasurements } from './volume/volume-measurer.ts';

export interface EvictionFoundations {
  readonly desired: DesiredPods;
  readonly volumes: VolumeMeasurements;
  readonly statistics: Statistics;
  readonly reclaim: NodeReclaim;
}

/** Undefined where the settings leave the node alone. */
export function assembleEviction(
  { kit, host }: AgentPorts,
  { eviction: settings }: AgentSettings,
  { desired, volumes, statistics, reclaim }: EvictionFoundations,
): Evictor | undefined {
  if (settings === undefined) return undefined;
  const seen = settings.sparesPageCache ? new CacheSparingStatistics(statistics) : statistics;
  return new Evictor({ kit, statistics: seen, reclaim, desired, volumes, state: host.state, settings });
}

/** The evictor, and what wakes it. */
export function toEvictionParts(
  { kit, statistics: { podMemoryLimit: limit } }: AgentPorts,
  evictor: Evictor | undefined,
): AgentPart[] {
  if (evictor === undefined) return [];
  return limit === undefined ? [evictor] : [evictor, new MemoryLimitWake({ kit, limit, evictor })];
}
