/**
 * From where on the machine a resource could be given. Who hands out a
 * resource (CPUs, memory, devices) lists its hints for a container; merging
 * them finds one place that suits all of them (merge-hints.ts).
 */
import type { NumaMask } from './numa-mask.ts';

export interface TopologyHint {
  /** From these NUMA nodes together; undefined is from anywhere. */
  readonly nodes: NumaMask | undefined;
  /** It could not be given from fewer nodes. */
  readonly preferred: boolean;
}

/**
 * By resource. Undefined in the place of a list: it does not matter from
 * where. An empty list: it cannot be given at all. No resource at all: the
 * provider has nothing to say about this container.
 */
export type ResourceHints = ReadonlyMap<string, readonly TopologyHint[] | undefined>;

/** From anywhere. */
export const ANYWHERE: TopologyHint = { nodes: undefined, preferred: false };
