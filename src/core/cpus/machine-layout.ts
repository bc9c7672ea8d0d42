/** What the machine is made of, as far as it matters which container gets which part of it. */
import type { NumaLayout } from '../topology/topology-policy.ts';
import type { Cpu } from './cpu-topology.ts';

export interface NumaNode {
  readonly id: number;
  /** 0 when unknown. */
  readonly memoryBytes: number;
  readonly hugepages: readonly { readonly pageBytes: number; readonly count: number }[];
  /** To each node of the machine, in the order of their numbers; empty when unknown. */
  readonly distances: readonly number[];
}

export interface MachineLayout {
  /** Those that are on. */
  readonly cpus: readonly Cpu[];
  /** Ascending by id; those with CPUs, memory or both. */
  readonly nodes: readonly NumaNode[];
}

export function toNumaLayout({ nodes }: MachineLayout): NumaLayout {
  const ids = nodes.map(({ id }) => id);
  const place = new Map(ids.map((id, index) => [id, index]));
  return {
    nodes: ids,
    distance: (from, to) => nodes[place.get(from) ?? -1]?.distances[place.get(to) ?? -1],
  };
}
