/** How the CPUs of the machine belong together: threads of a core, cores that share a cache, NUMA nodes, sockets. */
import { type CpuSet, toCpuSet } from './cpu-set.ts';

/** A CPU is what the kernel schedules on: a thread, where cores have several. */
export interface Cpu {
  readonly cpu: number;
  /** The lowest CPU of the core: numbers of cores repeat from socket to socket. */
  readonly core: number;
  readonly socket: number;
  readonly node: number;
  /** The cache outside of the cores; the socket where there is none, or nothing is known of it. */
  readonly cache: number;
}

/** What CPUs can be grouped by. */
export type CpuGroupKey = 'core' | 'socket' | 'node' | 'cache';

export interface CpuTopology {
  readonly cpus: ReadonlyMap<number, Cpu>;
  /** Ascending; only nodes with CPUs. */
  readonly nodes: readonly number[];
  /** How many there are of each. */
  readonly counts: Readonly<Record<CpuGroupKey, number>>;
  /** CPUs of a core; where cores differ, the average rounded down. */
  readonly cpusPerCore: number;
}

export function toCpuTopology(cpus: readonly Cpu[]): CpuTopology {
  const count = (key: CpuGroupKey): number => new Set(cpus.map((one) => one[key])).size;
  const counts = { core: count('core'), socket: count('socket'), node: count('node'), cache: count('cache') };
  return {
    cpus: new Map(cpus.map((one) => [one.cpu, one])),
    nodes: [...new Set(cpus.map(({ node }) => node))].sort((a, b) => a - b),
    counts,
    cpusPerCore: Math.max(1, Math.floor(cpus.length / Math.max(1, counts.core))),
  };
}

export function allCpus({ cpus }: CpuTopology): CpuSet {
  return toCpuSet(cpus.keys());
}

/** Those of `among` that belong to one of the groups; CPUs the machine does not have belong to none. */
export function cpusIn(
  topology: CpuTopology,
  among: Iterable<number>,
  key: CpuGroupKey,
  groups: ReadonlySet<number>,
): CpuSet {
  return toCpuSet(
    [...among].filter((cpu) => {
      const info = topology.cpus.get(cpu);
      return info !== undefined && groups.has(info[key]);
    }),
  );
}

/** The groups that `among` are in. */
export function groupsOf(
  topology: CpuTopology,
  among: Iterable<number>,
  key: CpuGroupKey,
): ReadonlySet<number> {
  const infos = [...among].flatMap((cpu) => topology.cpus.get(cpu) ?? []);
  return new Set(infos.map((one) => one[key]));
}
