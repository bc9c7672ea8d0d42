/** What the node has left of each resource, read off a summary. A signal without a reading is absent. */
import { type Quantity, wholeQuantity } from '../api/quantity.ts';
import type { FsStats, MemoryStats, Summary } from '../stats/summary.ts';
import type { EvictionSignal } from './signals.ts';

export interface Observation {
  readonly available: number;
  /** What a percentage is taken of. */
  readonly capacity: number;
  /** When it was measured. */
  readonly atMs: number;
}

type Amounts = Omit<Observation, 'atMs'>;

export type Observations = ReadonlyMap<EvictionSignal, Observation>;

/** `atMs` is when the summary was measured: its own times are whole seconds. */
export function toObservations({ node }: Summary, atMs: number): Observations {
  const pods = node.systemContainers?.find(({ name }) => name === 'pods');
  const { imageFs, containerFs } = node.runtime ?? {};
  const all: readonly (readonly [EvictionSignal, Amounts | undefined])[] = [
    ['memory.available', toMemory(node.memory)],
    ['allocatableMemory.available', toMemory(pods?.memory)],
    ['nodefs.available', toBytes(node.fs)],
    ['nodefs.inodesFree', toInodes(node.fs)],
    ['imagefs.available', toBytes(imageFs)],
    ['imagefs.inodesFree', toInodes(imageFs)],
    ['containerfs.available', toBytes(containerFs)],
    ['containerfs.inodesFree', toInodes(containerFs)],
    ['pid.available', toPids(node.rlimit)],
  ];
  return new Map(
    all.flatMap(([signal, found]) => (found === undefined ? [] : [[signal, { ...found, atMs }] as const])),
  );
}

/** For messages: bytes as binary quantities, counts as decimal ones. */
export function toAvailableQuantity(signal: EvictionSignal, { available }: Observation): Quantity {
  const isCount = signal.endsWith('inodesFree') || signal === 'pid.available';
  return wholeQuantity(Math.trunc(available), isCount ? 'DecimalSI' : 'BinarySI');
}

function toMemory(memory: MemoryStats | undefined): Amounts | undefined {
  if (memory?.availableBytes === undefined || memory.workingSetBytes === undefined) return undefined;
  const capacity = memory.availableBytes + memory.workingSetBytes;
  return { available: memory.availableBytes, capacity };
}

function toBytes(fs: FsStats | undefined): Amounts | undefined {
  if (fs?.availableBytes === undefined || fs.capacityBytes === undefined) return undefined;
  return { available: fs.availableBytes, capacity: fs.capacityBytes };
}

function toInodes(fs: FsStats | undefined): Amounts | undefined {
  if (fs?.inodesFree === undefined || fs.inodes === undefined) return undefined;
  return { available: fs.inodesFree, capacity: fs.inodes };
}

function toPids(rlimit: Summary['node']['rlimit']): Amounts | undefined {
  if (rlimit?.maxpid === undefined || rlimit.curproc === undefined) return undefined;
  const { maxpid, curproc } = rlimit;
  return { available: maxpid - curproc, capacity: maxpid };
}
