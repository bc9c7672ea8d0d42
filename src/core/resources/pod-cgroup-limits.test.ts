import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, sampleNode, samplePod, withGate } from '../../../test/samples/sample-pod.ts';
import type { PodSpec, ResourceRequirements } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { type PodCgroupLimits, toPodCgroupLimits } from './pod-cgroup-limits.ts';

const GIB = 2 ** 30;
const one = (resources: ResourceRequirements) => sampleContainer({ resources });
const full = one({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } });
const c1 = one({ requests: { cpu: '250m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } });
const c2 = one({ requests: { cpu: '100m', memory: '64Mi' } });

const cases: [name: string, spec: Partial<PodSpec>, node: Partial<NodeProfile>, expected: PodCgroupLimits][] =
  [
    [
      'Guaranteed',
      { containers: [full] },
      {},
      {
        cpuShares: 1024,
        cpuQuotaUs: 100_000,
        cpuPeriodUs: 100_000,
        memoryLimitBytes: GIB,
        hugepageLimits: [],
      },
    ],
    ['BestEffort', { containers: [one({})] }, {}, { cpuShares: 2, hugepageLimits: [] }],
    ['Burstable, partly limited', { containers: [c1, c2] }, {}, { cpuShares: 358, hugepageLimits: [] }],
    [
      'Burstable, wholly limited',
      { containers: [c1] },
      {},
      {
        cpuShares: 256,
        cpuQuotaUs: 50_000,
        cpuPeriodUs: 100_000,
        memoryLimitBytes: 256 * 2 ** 20,
        hugepageLimits: [],
      },
    ],
    [
      'Burstable with an unlimited init container',
      { containers: [c1], initContainers: [one({})] },
      {},
      { cpuShares: 256, hugepageLimits: [] },
    ],
    [
      'a pod-level memory limit',
      { containers: [c1, c2], resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } } },
      {},
      { cpuShares: 1024, memoryLimitBytes: GIB, hugepageLimits: [] },
    ],
    [
      'overhead',
      { containers: [full], overhead: { cpu: '500m', memory: '1Gi' } },
      {},
      {
        cpuShares: 1536,
        cpuQuotaUs: 150_000,
        cpuPeriodUs: 100_000,
        memoryLimitBytes: 2 * GIB,
        hugepageLimits: [],
      },
    ],
    [
      'quota off',
      { containers: [full] },
      { cpuCfsQuota: false },
      { cpuShares: 1024, cpuQuotaUs: -1, cpuPeriodUs: 100_000, memoryLimitBytes: GIB, hugepageLimits: [] },
    ],
    [
      'a process limit',
      { containers: [one({})] },
      { podPidsLimit: 100 },
      { cpuShares: 2, hugepageLimits: [], pidsLimit: 100 },
    ],
    [
      'huge pages by request',
      { containers: [one({ requests: { 'hugepages-2Mi': '4Mi' }, limits: { 'hugepages-2Mi': '4Mi' } })] },
      { hugepageSizesBytes: [2 ** 21, GIB] },
      {
        cpuShares: 2,
        hugepageLimits: [
          { pageSize: '2MB', limitBytes: 4 * 2 ** 20 },
          { pageSize: '1GB', limitBytes: 0 },
        ],
      },
    ],
  ];

describe('toPodCgroupLimits', () => {
  for (const [name, spec, node, expected] of cases) {
    it(`follows ${name}`, () =>
      assert.deepEqual(toPodCgroupLimits(samplePod(spec), sampleNode(node)), expected));
  }

  it('lifts the quota of a pod with exclusive CPUs', () => {
    assert.equal(toPodCgroupLimits(samplePod({ containers: [full] }), sampleNode(), true).cpuQuotaUs, -1);
  });

  it('reserves memory by class when asked to', () => {
    const node = withGate('MemoryQoS', { memoryReservationPolicy: 'TieredReservation' });
    assert.equal(toPodCgroupLimits(samplePod({ containers: [full] }), node).memoryMinBytes, GIB);
    assert.equal(toPodCgroupLimits(samplePod({ containers: [c1] }), node).memoryLowBytes, 128 * 2 ** 20);
    const none = toPodCgroupLimits(samplePod({ containers: [full] }), withGate('MemoryQoS'));
    assert.deepEqual([none.memoryMinBytes, none.memoryLowBytes], [undefined, undefined]);
  });
});
