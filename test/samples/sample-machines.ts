/**
 * Machines of several kinds: how each shows itself in `/sys`, and what the
 * kubelet is to make of it. CPUs are numbered as firmware does it: the second
 * threads of all cores after all first ones (`apart`), threads of a core side by
 * side (`together`), or one core of each socket in turn (`in-turn`).
 */
import { type CpuPolicy, createCpuPolicy } from '../../src/core/cpus/cpu-policy.ts';
import { type Cpu, toCpuTopology } from '../../src/core/cpus/cpu-topology.ts';
import type { MachineLayout } from '../../src/core/cpus/machine-layout.ts';

interface MachineShape {
  readonly sockets: number;
  readonly nodesPerSocket: number;
  readonly coresPerNode: number;
  readonly threads: number;
  /** Cores that share a cache; undefined is one cache for each node. */
  readonly coresPerCache?: number;
  readonly numbering: 'apart' | 'together' | 'in-turn';
  readonly memoryBytes: number;
  readonly hugepages?: readonly { readonly pageBytes: number; readonly count: number }[];
}

const GI = 2 ** 30;
const MI = 2 ** 20;

const SHAPES = {
  laptop: {
    sockets: 1,
    nodesPerSocket: 1,
    coresPerNode: 4,
    threads: 2,
    numbering: 'apart',
    memoryBytes: 16 * GI,
  },
  'two sockets': {
    sockets: 2,
    nodesPerSocket: 1,
    coresPerNode: 6,
    threads: 2,
    numbering: 'in-turn',
    memoryBytes: 64 * GI,
    hugepages: [
      { pageBytes: 2 * MI, count: 512 },
      { pageBytes: GI, count: 2 },
    ],
  },
  'four nodes': {
    sockets: 2,
    nodesPerSocket: 2,
    coresPerNode: 4,
    threads: 2,
    numbering: 'apart',
    memoryBytes: 32 * GI,
  },
  'split cache': {
    sockets: 1,
    nodesPerSocket: 2,
    coresPerNode: 8,
    threads: 2,
    coresPerCache: 4,
    numbering: 'apart',
    memoryBytes: 32 * GI,
  },
  'no threads': {
    sockets: 2,
    nodesPerSocket: 1,
    coresPerNode: 4,
    threads: 1,
    numbering: 'together',
    memoryBytes: 8 * GI,
  },
  'single core': {
    sockets: 1,
    nodesPerSocket: 1,
    coresPerNode: 1,
    threads: 2,
    numbering: 'together',
    memoryBytes: 2 * GI,
  },
} as const satisfies Readonly<Record<string, MachineShape>>;

export type SampleMachineName = keyof typeof SHAPES;

export const SAMPLE_MACHINE_NAMES = Object.keys(SHAPES) as readonly SampleMachineName[];

export function sampleMachine(name: SampleMachineName): MachineLayout {
  const shape: MachineShape = SHAPES[name];
  const nodeCount = shape.sockets * shape.nodesPerSocket;
  const cpus = placesOf(shape).map((place) => toCpu(shape, place));
  const nodes = Array.from({ length: nodeCount }, (_, id) => ({
    id,
    memoryBytes: shape.memoryBytes,
    hugepages: shape.hugepages ?? [],
    distances: Array.from({ length: nodeCount }, (__, other) => toDistance(shape, id, other)),
  }));
  return { cpus: cpus.sort((a, b) => a.cpu - b.cpu), nodes };
}

/** The static policy without options, with one CPU reserved. */
export function samplePolicy(name: SampleMachineName): CpuPolicy {
  const options = {
    fullCores: false,
    strictReservation: false,
    byCache: false,
    acrossNodes: false,
    acrossCores: false,
    bySocket: false,
  };
  const topology = toCpuTopology(sampleMachine(name).cpus);
  const policy = createCpuPolicy(topology, { count: 1, cpus: undefined }, options, 'none');
  if ('problem' in policy) throw new Error(policy.problem);
  return policy;
}

interface Place {
  readonly node: number;
  /** Within its node. */
  readonly core: number;
  readonly thread: number;
}

function placesOf({ sockets, nodesPerSocket, coresPerNode, threads }: MachineShape): Place[] {
  const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
  return range(sockets * nodesPerSocket).flatMap((node) =>
    range(coresPerNode).flatMap((core) => range(threads).map((thread) => ({ node, core, thread }))),
  );
}

function toNumber(shape: MachineShape, { node, core, thread }: Place): number {
  const { sockets, nodesPerSocket, coresPerNode, threads, numbering } = shape;
  const nodes = sockets * nodesPerSocket;
  const cores = nodes * coresPerNode;
  const inOrder = node * coresPerNode + core;
  if (numbering === 'together') return inOrder * threads + thread;
  if (numbering === 'apart') return inOrder + thread * cores;
  return core * nodes + node + thread * cores;
}

function toCpu(shape: MachineShape, place: Place): Cpu {
  const socket = Math.floor(place.node / shape.nodesPerSocket);
  const cachesPerNode = shape.coresPerCache === undefined ? 1 : shape.coresPerNode / shape.coresPerCache;
  const split = place.node * cachesPerNode + Math.floor(place.core / (shape.coresPerCache ?? 1));
  return {
    cpu: toNumber(shape, place),
    core: toNumber(shape, { ...place, thread: 0 }),
    socket,
    node: place.node,
    cache: shape.coresPerCache === undefined ? socket : split,
  };
}

function toDistance({ nodesPerSocket }: MachineShape, from: number, to: number): number {
  if (from === to) return 10;
  return Math.floor(from / nodesPerSocket) === Math.floor(to / nodesPerSocket) ? 12 : 21;
}

/** Path below `/sys` to content. */
export function toSysFiles({ cpus, nodes }: MachineLayout): ReadonlyMap<string, string> {
  const root = 'devices/system';
  const listOf = (members: readonly Cpu[]): string => members.map(({ cpu }) => cpu).join(',');
  const files = new Map([[`${root}/cpu/online`, `${listOf(cpus)}\n`]]);
  for (const one of cpus) {
    const directory = `${root}/cpu/cpu${one.cpu}`;
    const sharing = cpus.filter(({ cache, node }) => cache === one.cache && node === one.node);
    files.set(`${directory}/topology/physical_package_id`, `${one.socket}\n`);
    files.set(
      `${directory}/topology/thread_siblings_list`,
      `${listOf(cpus.filter(({ core }) => core === one.core))}\n`,
    );
    files.set(`${directory}/cache/index0/level`, '1\n');
    files.set(`${directory}/cache/index0/id`, `${one.core}\n`);
    files.set(`${directory}/cache/index3/level`, '3\n');
    files.set(`${directory}/cache/index3/id`, `${one.cache}\n`);
    files.set(`${directory}/cache/index3/shared_cpu_list`, `${listOf(sharing)}\n`);
  }
  for (const { id, memoryBytes, hugepages, distances } of nodes) {
    const directory = `${root}/node/node${id}`;
    files.set(`${directory}/cpulist`, `${listOf(cpus.filter(({ node }) => node === id))}\n`);
    files.set(
      `${directory}/meminfo`,
      `Node ${id} MemTotal:       ${memoryBytes / 1024} kB\nNode ${id} MemFree: 1 kB\n`,
    );
    files.set(`${directory}/distance`, `${distances.join(' ')}\n`);
    for (const { pageBytes, count } of hugepages)
      files.set(`${directory}/hugepages/hugepages-${pageBytes / 1024}kB/nr_hugepages`, `${count}\n`);
  }
  return files;
}
