/**
 * Reads how the machine is built from `/sys/devices/system`. Firmware and
 * virtual machines leave files out or write odd numbers: a CPU of which
 * nothing is known is a core of its own in socket 0, one that no node names
 * belongs to the first node, and without any node there is one, with all.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ascending, type CpuSet, parseCpuSet } from '../../../core/cpus/cpu-set.ts';
import type { Cpu } from '../../../core/cpus/cpu-topology.ts';
import type { MachineLayout, NumaNode } from '../../../core/cpus/machine-layout.ts';

export interface LayoutSources {
  /** Where `/sys` is; another place for tests. */
  readonly sys: string;
  /** Of the whole machine: what a single node has when it does not say. */
  readonly memoryBytes: number;
  /** Counts as one node's when there are no nodes. */
  readonly hugepages: readonly { readonly pageBytes: number; readonly totalBytes: number }[];
}

interface NodeFacts extends NumaNode {
  readonly cpus: CpuSet;
}

/** What is shared outside of the cores. */
const UNCORE_LEVEL = 3;

/** Never rejects. */
export async function readMachineLayout(sources: LayoutSources): Promise<MachineLayout> {
  const root = join(sources.sys, 'devices/system');
  const online = parseCpuSet(await readText(join(root, 'cpu/online'))) ?? new Set<number>();
  const cpus = online.size > 0 ? online : new Set([0]);
  const nodes = await readNodes(join(root, 'node'), sources);
  const homes = findHomes(cpus, nodes);
  const read = ascending(cpus).map((cpu) => readCpu(join(root, 'cpu', `cpu${cpu}`), cpu, cpus, homes));
  return {
    cpus: await Promise.all(read),
    nodes: nodes.map(({ cpus: _, ...node }) => node),
  };
}

/** The node of each CPU; the first that names it. */
function findHomes(cpus: CpuSet, nodes: readonly NodeFacts[]): ReadonlyMap<number, number> {
  const first = nodes[0]?.id ?? 0;
  const find = (cpu: number): number => nodes.find((node) => node.cpus.has(cpu))?.id ?? first;
  return new Map([...cpus].map((cpu) => [cpu, find(cpu)]));
}

async function readCpu(
  directory: string,
  cpu: number,
  online: CpuSet,
  homes: ReadonlyMap<number, number>,
): Promise<Cpu> {
  const topology = join(directory, 'topology');
  const socket = toId(await readText(join(topology, 'physical_package_id'))) ?? 0;
  const list =
    (await readText(join(topology, 'core_cpus_list'))) ||
    (await readText(join(topology, 'thread_siblings_list')));
  const siblings = (parseCpuSet(list) ?? new Set<number>()).intersection(online);
  const node = homes.get(cpu) ?? 0;
  const ofNode = [...homes.values()].filter((home) => home === node).length;
  const cache = await readUncore(join(directory, 'cache'), online, ofNode);
  return { cpu, core: Math.min(cpu, ...siblings), socket, node, cache: cache ?? socket };
}

/** A cache that serves exactly the node says nothing that the node does not say; the socket stands for it. */
async function readUncore(directory: string, online: CpuSet, ofNode: number): Promise<number | undefined> {
  const indexes = (await listNames(directory)).filter((name) => /^index\d{1,2}$/.test(name)).sort();
  for (const index of indexes) {
    const level = toId(await readText(join(directory, index, 'level'))) ?? 0;
    if (level < UNCORE_LEVEL) continue;
    const shared = parseCpuSet(await readText(join(directory, index, 'shared_cpu_list')));
    const id = toId(await readText(join(directory, index, 'id')));
    if (id === undefined || shared === undefined || shared.intersection(online).size === ofNode) continue;
    return id;
  }
  return undefined;
}

async function readNodes(root: string, sources: LayoutSources): Promise<NodeFacts[]> {
  const ids = (await listNames(root)).flatMap((name) => {
    const match = /^node(\d{1,4})$/.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
  if (ids.length === 0) return [toOnlyNode(sources)];
  return Promise.all(ascending(ids).map((id) => readNode(join(root, `node${id}`), id)));
}

function toOnlyNode({ memoryBytes, hugepages }: LayoutSources): NodeFacts {
  const pages = hugepages.map(({ pageBytes, totalBytes }) => ({ pageBytes, count: totalBytes / pageBytes }));
  return { id: 0, memoryBytes, hugepages: pages, distances: [], cpus: new Set() };
}

async function readNode(directory: string, id: number): Promise<NodeFacts> {
  const total = /MemTotal:\s*(\d{1,15}) kB/.exec(await readText(join(directory, 'meminfo')));
  const distances = (await readText(join(directory, 'distance'))).trim().split(/\s+/).map(Number);
  return {
    id,
    memoryBytes: Number(total?.[1] ?? 0) * 1024,
    hugepages: await readHugepages(join(directory, 'hugepages')),
    distances: distances.every((one) => Number.isInteger(one) && one > 0) ? distances : [],
    cpus: parseCpuSet(await readText(join(directory, 'cpulist'))) ?? new Set(),
  };
}

async function readHugepages(directory: string): Promise<NumaNode['hugepages']> {
  const sizes = (await listNames(directory)).flatMap((name) => {
    const match = /^hugepages-(\d{1,12})kB$/.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
  const pages = ascending(sizes).map(async (kib) => ({
    pageBytes: kib * 1024,
    count: toId(await readText(join(directory, `hugepages-${kib}kB`, 'nr_hugepages'))) ?? 0,
  }));
  return Promise.all(pages);
}

/** Undefined for what is no whole number, or a negative one: unknown, in files of the kernel. */
function toId(text: string): number | undefined {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
}

function listNames(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}
