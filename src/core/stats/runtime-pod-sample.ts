/** What the runtime itself counts for a pod, where it is asked to (gate PodAndContainerStatsFromCRI). */
import type { InterfaceSample } from './samples.ts';
import type { Usage } from './to-usage.ts';

export interface RuntimePodSample {
  readonly usage: Usage;
  readonly interfaces: readonly InterfaceSample[];
  readonly processes: number | undefined;
  /** By the id of the container. */
  readonly containers: ReadonlyMap<string, Usage>;
}
