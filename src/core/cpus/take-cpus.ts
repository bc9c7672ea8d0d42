/**
 * Which CPUs a container gets out of those that are free: as few sockets,
 * NUMA nodes, caches and cores as possible are broken up.
 */
import { ascending, type CpuSet, NO_CPUS } from './cpu-set.ts';
import type { CpuTopology } from './cpu-topology.ts';
import { FreeCpus, type FreeGroup, inPackedOrder, inSpreadOrder } from './free-cpus.ts';

export interface TakeOptions {
  /** One thread of each core rather than whole cores. */
  readonly acrossCores: boolean;
  /** CPUs that share a cache, if there are enough. */
  readonly byCache: boolean;
}

export type Taken =
  | { readonly ok: true; readonly cpus: CpuSet }
  | { readonly ok: false; readonly message: string };

export function takePacked(
  topology: CpuTopology,
  available: CpuSet,
  count: number,
  { acrossCores, byCache }: TakeOptions,
): Taken {
  if (count <= 0) return { ok: true, cpus: NO_CPUS };
  const free = new FreeCpus(topology, available, count);
  if (free.free.size < count) return notEnough(count, available);
  for (const path of free.wholeLevels()) if (!free.isEnough) free.takeWhole(path);
  if (!free.isEnough && byCache) takeByCache(free);
  if (!free.isEnough && !acrossCores) free.takeWhole(free.pathTo('core'));
  if (!free.isEnough) free.takeFirst(acrossCores ? inSpreadOrder(free) : inPackedOrder(free));
  return { ok: true, cpus: free.taken };
}

export function notEnough(count: number, available: CpuSet): Taken {
  const message = `not enough cpus available to satisfy request: requested=${count}, available=${available.size}`;
  return { ok: false, message };
}

/** Whole caches while so much is missing, then the rest from the first one that has it. */
function takeByCache(free: FreeCpus): void {
  const { cpus, counts } = free.topology;
  const usualSize = Math.floor(cpus.size / Math.max(1, counts.cache));
  for (const { id } of free.groups(free.pathTo('cache'))) {
    if (free.needed >= usualSize) free.takeWhole(free.pathTo('cache'));
    if (free.isEnough) return;
    const cache = free.groups(['cache']).find((group) => group.id === id);
    const part = cache === undefined ? [] : partOf(cache, free);
    if (part.length === free.needed) free.take(part);
    if (free.isEnough) return;
  }
}

/** The CPUs of as many cores of the cache as are needed; of an odd number the last thread is left. */
function partOf(cache: FreeGroup, { needed, topology }: FreeCpus): number[] {
  const { cpusPerCore } = topology;
  const wanted = Math.ceil(needed / cpusPerCore);
  const cores = new Set(ascending(new Set(cache.cpus.map(({ core }) => core))).slice(0, wanted));
  const cpus = ascending(cache.cpus.filter(({ core }) => cores.has(core)).map(({ cpu }) => cpu));
  const isOdd = needed % 2 !== 0 && cpusPerCore > 1;
  return isOdd && cpus.length > needed ? cpus.slice(0, -1) : cpus;
}
