import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeAllocatable, type MachineCapacity, type Reservations } from './allocatable.ts';

const GI = 1024 ** 3;
const MACHINE: MachineCapacity = {
  cpuCount: 4,
  memoryBytes: 16 * GI,
  ephemeralStorageBytes: 100 * GI,
  hugepagesBytes: 0,
};
const NONE: Reservations = { systemReserved: {}, kubeReserved: {}, evictionHard: {} };

describe('computeAllocatable', () => {
  const cases: readonly (readonly [
    string,
    Partial<MachineCapacity>,
    Partial<Reservations>,
    Record<string, string>,
  ])[] = [
    [
      'is the capacity when nothing is kept',
      {},
      {},
      { cpu: '4', memory: '16Gi', 'ephemeral-storage': '100Gi' },
    ],
    [
      'takes both reservations off',
      {},
      {
        systemReserved: { cpu: '500m', memory: '1Gi' },
        kubeReserved: { cpu: '250m', 'ephemeral-storage': '10Gi', pid: '100' },
      },
      { cpu: '3250m', memory: '15Gi', 'ephemeral-storage': '90Gi' },
    ],
    [
      'takes the hard thresholds off, percentages in single precision',
      {},
      {
        evictionHard: { 'memory.available': '512Mi', 'nodefs.available': '10%', 'imagefs.available': '15%' },
      },
      { cpu: '4', memory: '15872Mi', 'ephemeral-storage': String(100 * GI - 10737418400) },
    ],
    [
      'takes 0% and 100% for no threshold',
      {},
      { evictionHard: { 'memory.available': '0%', 'nodefs.available': '100%' } },
      { memory: '16Gi', 'ephemeral-storage': '100Gi' },
    ],
    ['takes huge pages off the memory', { hugepagesBytes: 2 * GI }, {}, { memory: '14Gi' }],
    [
      'never falls below 0',
      {},
      { systemReserved: { cpu: '8', memory: '20Gi' }, kubeReserved: { memory: '1Gi' } },
      { cpu: '0', memory: '0' },
    ],
  ];
  for (const [what, machine, reservations, expected] of cases)
    it(what, () => {
      const allocatable = computeAllocatable({ ...MACHINE, ...machine }, { ...NONE, ...reservations });
      assert.deepEqual({ ...allocatable, ...expected }, allocatable);
      assert.deepEqual(Object.keys(allocatable), ['cpu', 'memory', 'ephemeral-storage']);
    });
});
