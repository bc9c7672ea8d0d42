import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findFullDisks } from './full-disks.ts';
import type { Observation } from './observations.ts';
import type { EvictionSignal } from './signals.ts';

const MIB = 1024 ** 2;

describe('findFullDisks', () => {
  const rows: [
    name: string,
    signals: Partial<Record<EvictionSignal, [available: number, capacity: number]>>,
    expected: string[],
  ][] = [
    ['room', { 'nodefs.available': [MIB, 100 * MIB], 'nodefs.inodesFree': [1, 100] }, []],
    ['no bytes', { 'nodefs.available': [MIB - 1, 100 * MIB], 'nodefs.inodesFree': [1, 100] }, ['nodefs']],
    ['no inodes', { 'imagefs.available': [MIB, 100 * MIB], 'imagefs.inodesFree': [0, 100] }, ['imagefs']],
    ['a file system without fixed inodes', { 'nodefs.inodesFree': [0, 0] }, []],
    ['both', { 'nodefs.available': [0, 9 * MIB], 'imagefs.available': [0, 9 * MIB] }, ['nodefs', 'imagefs']],
    ['nothing measured', {}, []],
  ];
  for (const [name, signals, expected] of rows)
    it(name, () => {
      const all = Object.entries(signals).map(
        ([signal, [available, capacity]]) =>
          [signal as EvictionSignal, { available, capacity, atMs: 0 } as Observation] as const,
      );
      assert.deepEqual(findFullDisks(new Map(all)), expected);
    });
});
