/** Wires eviction: what it measures with, what it may delete, and whom it may end. */
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AgentSettings } from './agent-ports.ts';
import { removeEndedPodContainers } from './collection/ended-pod-containers.ts';
import type { ImageCollector } from './collection/image-collector.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import { Evictor } from './eviction/evictor.ts';
import type { StatusBoard } from './pod/status-board.ts';
import type { Statistics } from './stats/statistics.ts';

export interface EvictionFoundations {
  readonly desired: DesiredPods;
  readonly board: StatusBoard;
  readonly statistics: Statistics;
  readonly images: ImageCollector;
}

/** No part where the settings leave the node alone. */
export function assembleEviction(
  { kit, host, runtime }: AgentPorts,
  { eviction: settings }: AgentSettings,
  { desired, board, statistics, images }: EvictionFoundations,
): AgentPart[] {
  if (settings === undefined) return [];
  const hasEnded = board.hasEnded.bind(board);
  const reclaim = {
    removeDeadContainers: (signal: AbortSignal) =>
      removeEndedPodContainers({ kit, ...runtime, hasEnded }, signal),
    removeUnusedImages: (signal: AbortSignal) => images.removeUnusedImages(signal),
  };
  return [new Evictor({ kit, statistics, reclaim, desired, board, state: host.state, settings })];
}
