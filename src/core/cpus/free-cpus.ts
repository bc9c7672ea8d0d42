/**
 * The CPUs that can still be taken while a container's set is put together,
 * in groups at every level of the machine. At each level the group with the
 * fewest free CPUs comes first, so that large free groups stay whole.
 */
import { ascending, type CpuSet, toCpuSet } from './cpu-set.ts';
import type { Cpu, CpuGroupKey, CpuTopology } from './cpu-topology.ts';

/** One group at some level, with those of its CPUs that are free. */
export interface FreeGroup {
  readonly id: number;
  readonly cpus: readonly Cpu[];
}

export class FreeCpus {
  readonly topology: CpuTopology;
  readonly #free: Map<number, Cpu>;
  readonly #taken = new Set<number>();
  #needed: number;

  constructor(topology: CpuTopology, free: Iterable<number>, needed: number) {
    this.topology = topology;
    this.#needed = needed;
    const known = [...free].flatMap((cpu) => topology.cpus.get(cpu) ?? []);
    this.#free = new Map(known.map((one) => [one.cpu, one]));
  }

  /** How many CPUs are still missing. */
  get needed(): number {
    return this.#needed;
  }

  get isEnough(): boolean {
    return this.#needed <= 0;
  }

  get free(): CpuSet {
    return toCpuSet(this.#free.keys());
  }

  get taken(): CpuSet {
    return this.#taken;
  }

  take(cpus: Iterable<number>): void {
    for (const cpu of cpus) {
      if (!this.#free.delete(cpu)) continue;
      this.#taken.add(cpu);
      this.#needed--;
    }
  }

  /** Takes groups that are free as a whole, as long as no CPU is taken too many. */
  takeWhole(path: readonly CpuGroupKey[]): void {
    const key = path.at(-1);
    if (key === undefined) return;
    for (const { id, cpus } of this.groups(path)) {
      const isWhole = cpus.length === this.#sizeOf(key, id);
      if (isWhole && this.#needed >= cpus.length) this.take(cpus.map(({ cpu }) => cpu));
    }
  }

  takeFirst(cpus: readonly number[]): void {
    this.take(cpus.slice(0, Math.max(0, this.#needed)));
  }

  /** The groups of the last level of `path`, inside those of the levels before it. */
  groups(path: readonly CpuGroupKey[]): FreeGroup[] {
    return nest([...this.#free.values()], path);
  }

  /** From the level with the largest groups to that with the smaller ones. */
  get #levels(): readonly [CpuGroupKey, CpuGroupKey] {
    const { socket, node } = this.topology.counts;
    return socket >= node ? ['node', 'socket'] : ['socket', 'node'];
  }

  /** How to reach a level from the top. */
  pathTo(key: CpuGroupKey): readonly CpuGroupKey[] {
    const [first, second] = this.#levels;
    if (key === 'core') return [first, second, 'core'];
    if (key === 'cache') return [...this.pathTo('node'), 'cache'];
    return key === first ? [first] : [first, second];
  }

  /** Largest groups first. */
  wholeLevels(): readonly (readonly CpuGroupKey[])[] {
    return this.#levels.map((key) => this.pathTo(key));
  }

  #sizeOf(key: CpuGroupKey, id: number): number {
    let size = 0;
    for (const one of this.topology.cpus.values()) if (one[key] === id) size++;
    return size;
  }
}

function nest(cpus: readonly Cpu[], [key, ...inner]: readonly CpuGroupKey[]): FreeGroup[] {
  if (key === undefined) return [];
  const groups = new Map<number, Cpu[]>();
  for (const cpu of cpus) groups.set(cpu[key], [...(groups.get(cpu[key]) ?? []), cpu]);
  const ranked = [...groups].sort(([a, ofA], [b, ofB]) => ofA.length - ofB.length || a - b);
  if (inner.length > 0) return ranked.flatMap(([, members]) => nest(members, inner));
  return ranked.map(([id, members]) => ({ id, cpus: members }));
}

/** Threads of one core together, cores in their order. */
export function inPackedOrder(free: FreeCpus): number[] {
  return free.groups(free.pathTo('core')).flatMap(({ cpus }) => ascending(cpus.map(({ cpu }) => cpu)));
}

/** By number within a socket: on most machines that is one thread of each core, then the others. */
export function inSpreadOrder(free: FreeCpus): number[] {
  return free.groups(free.pathTo('socket')).flatMap(({ cpus }) => ascending(cpus.map(({ cpu }) => cpu)));
}
