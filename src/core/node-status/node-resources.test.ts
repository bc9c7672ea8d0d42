import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAMPLE_NODE_FACTS } from '../../../test/samples/node-samples.ts';
import type { NodeStatus } from '../api/node.ts';
import {
  computeNodeResources,
  computeOwnAllocatable,
  computeReserved,
  isExtendedResource,
  type ReservationSettings,
} from './node-resources.ts';
import type { MachineResources, ResourceFacts } from './node-status-facts.ts';

const FACTS = SAMPLE_NODE_FACTS.resources;
const MACHINE = FACTS.machine!;

const compute = (facts: Partial<ResourceFacts> = {}, status: NodeStatus = {}) =>
  computeNodeResources(status, { ...FACTS, ...facts });

describe('computeNodeResources', () => {
  it('capacity has every key, also page sizes of which there are none', () => {
    assert.deepEqual(compute().capacity, {
      cpu: '4',
      memory: '8Gi',
      'ephemeral-storage': '100Gi',
      'hugepages-2Mi': '0',
      'hugepages-1Gi': '1Gi',
      pods: '110',
    });
  });

  it('allocatable is capacity less what is kept, and memory less huge pages', () => {
    assert.deepEqual(compute().allocatable, {
      cpu: '3500m',
      memory: '6Gi',
      'ephemeral-storage': '90Gi',
      'hugepages-2Mi': '0',
      'hugepages-1Gi': '1Gi',
      pods: '110',
    });
  });

  it('allocatable is never below zero', () => {
    const { allocatable } = compute({ reserved: { cpu: '5', memory: '7.5Gi' } });
    assert.equal(allocatable['cpu'], '0');
    assert.equal(allocatable['memory'], '0');
  });

  it('an unread machine has no cpu and no memory but its pods', () => {
    assert.deepEqual(compute({ machine: undefined, podsPerCore: 5 }).capacity, {
      cpu: '0',
      memory: '0',
      pods: '110',
    });
  });

  for (const [podsPerCore, pods] of [
    [0, '110'],
    [10, '40'],
    [50, '110'],
  ] as const)
    it(`${podsPerCore} pods per core make ${pods} pods`, () => {
      assert.equal(compute({ podsPerCore }).capacity['pods'], pods);
    });

  it('ephemeral storage is left out where it is not counted or not known', () => {
    assert.equal(compute({ localStorage: false }).capacity['ephemeral-storage'], undefined);
    const machine = { ...MACHINE, ephemeralStorageBytes: undefined };
    assert.equal(compute({ machine }).capacity['ephemeral-storage'], undefined);
  });

  it('devices count with their own numbers, gone ones with zero', () => {
    const devices = [
      { name: 'x.io/gpu', capacity: 4, allocatable: 3 },
      { name: 'x.io/gone', capacity: 0, allocatable: 0 },
    ];
    const status = { capacity: { 'x.io/gone': '2' }, allocatable: { 'x.io/gone': '2' } };
    const { capacity, allocatable } = compute({ devices }, status);
    assert.deepEqual([capacity['x.io/gpu'], allocatable['x.io/gpu']], ['4', '3']);
    assert.deepEqual([capacity['x.io/gone'], allocatable['x.io/gone']], ['0', '0']);
  });

  it('capacity that others wrote survives; their allocatable without capacity does not', () => {
    const status = { capacity: { 'x.io/fpga': '2' }, allocatable: { 'x.io/old': '1', 'x.io/fpga': '1' } };
    const { capacity, allocatable } = compute({}, status);
    assert.equal(capacity['x.io/fpga'], '2');
    assert.equal(allocatable['x.io/fpga'], '2');
    assert.equal(allocatable['x.io/old'], undefined);
  });

  it('a quantity of the same value keeps its text', () => {
    const status = { capacity: { cpu: '4000m', memory: '8192Mi' } };
    const { capacity } = compute({}, status);
    assert.deepEqual([capacity['cpu'], capacity['memory']], ['4000m', '8192Mi']);
  });
});

describe('computeReserved', () => {
  it('adds system, Kubernetes and hard eviction; a percentage is one of single precision', () => {
    const reserved = computeReserved(
      {
        systemReserved: { cpu: '100m', memory: '512Mi', pid: '1000' },
        kubeReserved: { cpu: '400m', memory: '412Mi', 'ephemeral-storage': '1Gi' },
        evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'imagefs.available': '15%' },
      },
      MACHINE,
    );
    const tenth = Math.trunc(100 * 1024 ** 3 * Math.fround(0.1));
    assert.deepEqual(reserved, {
      cpu: '500m',
      memory: '1Gi',
      pid: '1k',
      'ephemeral-storage': String(tenth + 1024 ** 3),
    });
  });

  for (const threshold of ['0%', '100%', undefined])
    it(`a threshold of ${threshold} keeps nothing`, () => {
      const evictionHard = threshold === undefined ? {} : { 'memory.available': threshold };
      const settings = { systemReserved: {}, kubeReserved: {}, evictionHard };
      assert.equal(computeReserved(settings, MACHINE)['memory'], '0');
    });
});

describe('isExtendedResource', () => {
  for (const [name, expected] of [
    ['x.io/gpu', true],
    ['cpu', false],
    ['hugepages-2Mi', false],
    ['kubernetes.io/batch-cpu', false],
    ['attach.node.kubernetes.io/disk', false],
    ['requests.x.io/gpu', false],
  ] as const)
    it(`${name}: ${expected}`, () => assert.equal(isExtendedResource(name), expected));
});

describe('computeOwnAllocatable', () => {
  const GI = 1024 ** 3;
  const machine: MachineResources = {
    cpuCount: 4,
    memoryBytes: 16 * GI,
    ephemeralStorageBytes: 100 * GI,
    hugepages: [{ pageBytes: GI, totalBytes: 0 }],
  };
  const hugepages = [
    { pageBytes: GI, totalBytes: GI },
    { pageBytes: 2 * 1024 ** 2, totalBytes: GI },
  ];
  const none: ReservationSettings = { systemReserved: {}, kubeReserved: {}, evictionHard: {} };
  const cases: readonly (readonly [
    string,
    Partial<MachineResources>,
    Partial<ReservationSettings>,
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
    ['takes huge pages of all sizes off the memory', { hugepages }, {}, { memory: '14Gi' }],
    [
      'never falls below 0',
      {},
      { systemReserved: { cpu: '8', memory: '20Gi' }, kubeReserved: { memory: '1Gi' } },
      { cpu: '0', memory: '0' },
    ],
  ];
  for (const [what, hardware, reservations, expected] of cases)
    it(what, () => {
      const allocatable = computeOwnAllocatable({ ...none, ...reservations }, { ...machine, ...hardware });
      assert.deepEqual({ ...allocatable, ...expected }, allocatable);
      assert.deepEqual(Object.keys(allocatable), ['cpu', 'memory', 'ephemeral-storage']);
    });
});
