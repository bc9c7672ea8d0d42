/** What the node can run short of: each signal, the resource it stands for and the condition it raises. */

export type EvictionResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';
export type PressureCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

interface SignalFacts {
  readonly resource: EvictionResource;
  readonly condition: PressureCondition;
}

const MEMORY: SignalFacts = { resource: 'memory', condition: 'MemoryPressure' };
const BYTES: SignalFacts = { resource: 'ephemeral-storage', condition: 'DiskPressure' };
const INODES: SignalFacts = { resource: 'inodes', condition: 'DiskPressure' };

const SIGNALS = {
  'memory.available': MEMORY,
  'allocatableMemory.available': MEMORY,
  'nodefs.available': BYTES,
  'nodefs.inodesFree': INODES,
  'imagefs.available': BYTES,
  'imagefs.inodesFree': INODES,
  'containerfs.available': BYTES,
  'containerfs.inodesFree': INODES,
  'pid.available': { resource: 'pids', condition: 'PIDPressure' },
} as const satisfies Record<string, SignalFacts>;

export type EvictionSignal = keyof typeof SIGNALS;

export function isSignal(text: string): text is EvictionSignal {
  return Object.hasOwn(SIGNALS, text);
}

export function resourceOf(signal: EvictionSignal): EvictionResource {
  return SIGNALS[signal].resource;
}

export function conditionOf(signal: EvictionSignal): PressureCondition {
  return SIGNALS[signal].condition;
}
