import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, sampleNode, samplePod, withGate } from '../../../test/samples/sample-pod.ts';
import type { PodSpec, ResourceRequirements } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { LinuxResources } from '../model/observed-pod.ts';
import { toContainerResources, toOverheadResources, toSandboxResources } from './container-resources.ts';
import { formatPageSize } from './hugepages.ts';

const GIB = 2 ** 30;

function ofContainer(
  resources: ResourceRequirements,
  spec: Partial<PodSpec> = {},
  node: NodeProfile = sampleNode(),
) {
  const container = sampleContainer({ resources });
  return toContainerResources(samplePod({ containers: [container], ...spec }), container, node);
}

describe('toContainerResources', () => {
  it('sets the minimum for a container without requests', () => {
    assert.deepEqual(ofContainer({}), {
      cpuShares: 2,
      cpuPeriod: 100_000,
      cpuQuota: 0,
      oomScoreAdj: 1000,
      hugepageLimits: [],
      unified: { 'memory.oom.group': '1', 'memory.swap.max': '0' },
    });
  });

  const cases: [
    name: string,
    resources: ResourceRequirements,
    spec: Partial<PodSpec>,
    node: Partial<NodeProfile>,
    expected: Partial<LinuxResources>,
  ][] = [
    [
      'request and limit',
      { requests: { cpu: '250m' }, limits: { cpu: '500m', memory: '1Gi' } },
      {},
      {},
      { cpuShares: 256, cpuQuota: 50_000, memoryLimitBytes: GIB },
    ],
    ['limit for a missing request', { limits: { cpu: '500m' } }, {}, {}, { cpuShares: 512 }],
    [
      'a request of zero as such',
      { requests: { cpu: '0' }, limits: { cpu: '500m' } },
      {},
      {},
      { cpuShares: 2 },
    ],
    ['at least 1000 microseconds', { limits: { cpu: '5m' } }, {}, {}, { cpuQuota: 1000 }],
    [
      'another period',
      { limits: { cpu: '500m' } },
      {},
      { cpuCfsPeriodUs: 50_000 },
      { cpuPeriod: 50_000, cpuQuota: 25_000 },
    ],
    [
      'the limits of the pod where there is none',
      {},
      { resources: { limits: { cpu: '2', memory: '2Gi' } } },
      {},
      { cpuShares: 2048, cpuQuota: 200_000, memoryLimitBytes: 2 * GIB },
    ],
    [
      'own limits before those of the pod',
      { limits: { cpu: '1' } },
      { resources: { limits: { cpu: '2', memory: '2Gi' } } },
      {},
      { cpuQuota: 100_000, memoryLimitBytes: 2 * GIB },
    ],
    [
      'own memory before that of the pod',
      { limits: { memory: '1Gi' } },
      { resources: { limits: { cpu: '2', memory: '2Gi' } } },
      {},
      { cpuQuota: 200_000, memoryLimitBytes: GIB },
    ],
    [
      'nothing of the pod where its resources do not count',
      {},
      { resources: { limits: { cpu: '2', memory: '2Gi' } } },
      { features: (name) => name !== 'PodLevelResources' },
      { cpuShares: 2, cpuQuota: 0 },
    ],
    [
      'no request from the pod',
      { limits: { cpu: '1' } },
      { resources: { requests: { cpu: '4' } } },
      {},
      { cpuShares: 1024 },
    ],
    [
      'no oom group for single kills',
      {},
      {},
      { singleProcessOomKill: true },
      { unified: { 'memory.swap.max': '0' } },
    ],
    [
      'no unified settings on cgroup v1',
      { limits: { memory: '1Gi' } },
      {},
      { cgroupVersion: 1 },
      { memorySwapLimitBytes: GIB },
    ],
    [
      'no swap setting without its controller',
      {},
      {},
      { swap: { controllerAvailable: false, behavior: 'NoSwap', capacityBytes: 0, tmpfsNoSwap: true } },
      { unified: { 'memory.oom.group': '1' } },
    ],
    [
      'huge pages of every size',
      { limits: { 'hugepages-2Mi': '4Mi' } },
      { resources: { limits: { 'hugepages-2Mi': '8Mi', 'hugepages-1Gi': '1Gi' } } },
      { hugepageSizesBytes: [65_536, 2 ** 21, GIB] },
      {
        hugepageLimits: [
          { pageSize: '64KB', limitBytes: 0 },
          { pageSize: '2MB', limitBytes: 4 * 2 ** 20 },
          { pageSize: '1GB', limitBytes: GIB },
        ],
      },
    ],
  ];
  for (const [name, resources, spec, node, expected] of cases) {
    it(`gives ${name}`, () => {
      const made = ofContainer(resources, spec, sampleNode(node));
      assert.deepEqual({ ...made, ...expected }, made);
    });
  }

  it('leaves the keys out that do not apply', () => {
    const made = ofContainer({}, {}, sampleNode({ cpuCfsQuota: false, cgroupVersion: 1 }));
    assert.deepEqual(made, { cpuShares: 2, oomScoreAdj: 1000, hugepageLimits: [] });
  });

  it('lifts the quota of exclusive CPUs unless the gate is off, and pins them', () => {
    const container = sampleContainer({ resources: { limits: { cpu: '2' } } });
    const pod = samplePod({ containers: [container] });
    const pinned = { exclusiveCpus: true, cpusetCpus: '2-3', cpusetMems: '0' };
    const made = toContainerResources(pod, container, sampleNode(), pinned);
    assert.deepEqual([made.cpuQuota, made.cpusetCpus, made.cpusetMems], [-1, '2-3', '0']);
    const off = sampleNode({ features: () => false });
    assert.equal(toContainerResources(pod, container, off, pinned).cpuQuota, 200_000);
  });
});

describe('LimitedSwap', () => {
  const swap = {
    controllerAvailable: true,
    behavior: 'LimitedSwap',
    capacityBytes: 8 * GIB,
    tmpfsNoSwap: true,
  } as const;
  const burstable = { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } };
  const cases: [name: string, resources: ResourceRequirements, spec: Partial<PodSpec>, expected: string][] = [
    ['a share for a Burstable container', burstable, {}, '536870912'],
    ['a share without a limit', { requests: { memory: '1Gi' } }, {}, '536870912'],
    [
      'none when request equals limit',
      { requests: { memory: '1Gi', cpu: '1' }, limits: { memory: '1Gi' } },
      {},
      '0',
    ],
    ['none for BestEffort', {}, {}, '0'],
    ['none for a Burstable container that asks for no memory', { requests: { cpu: '1' } }, {}, '0'],
    ['none for a critical pod', burstable, { priority: 2_000_000_000 }, '0'],
  ];
  for (const [name, resources, spec, expected] of cases) {
    it(`gives ${name}`, () => {
      assert.equal(ofContainer(resources, spec, sampleNode({ swap })).unified?.['memory.swap.max'], expected);
    });
  }

  it('means no swap on cgroup v1', () => {
    const made = ofContainer(burstable, {}, sampleNode({ swap, cgroupVersion: 1 }));
    assert.deepEqual([made.memorySwapLimitBytes, made.unified], [2 * GIB, undefined]);
  });
});

describe('memory protection', () => {
  const equal = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
  const high = (request: number, ceiling: number) =>
    String(Math.floor((request + (ceiling - request) * 0.9) / 4096) * 4096);
  const cases: [
    name: string,
    resources: ResourceRequirements,
    policy: NodeProfile['memoryReservationPolicy'],
    expected: object,
  ][] = [
    ['nothing reserved by policy None', equal, 'None', { 'memory.min': '0', 'memory.low': '0' }],
    ['a Guaranteed request', equal, 'TieredReservation', { 'memory.min': String(GIB) }],
    [
      'a Burstable request',
      { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } },
      'TieredReservation',
      { 'memory.low': String(GIB), 'memory.high': high(GIB, 2 * GIB) },
    ],
    [
      'the node for a missing limit',
      { requests: { memory: '1Gi' } },
      'None',
      { 'memory.min': '0', 'memory.low': '0', 'memory.high': high(GIB, 15 * GIB) },
    ],
    ['nothing asked for', {}, 'TieredReservation', { 'memory.min': '0', 'memory.low': '0' }],
    [
      'no throttling within one page',
      { requests: { memory: '4096' }, limits: { memory: '4097' } },
      'None',
      { 'memory.min': '0', 'memory.low': '0' },
    ],
  ];
  for (const [name, resources, memoryReservationPolicy, expected] of cases) {
    it(`gives ${name}`, () => {
      const node = withGate('MemoryQoS', { memoryReservationPolicy });
      const {
        'memory.oom.group': _group,
        'memory.swap.max': _swap,
        ...unified
      } = ofContainer(resources, {}, node).unified ?? {};
      assert.deepEqual(unified, expected);
    });
  }

  it('is empty on cgroup v1', () => {
    assert.equal(ofContainer(equal, {}, withGate('MemoryQoS', { cgroupVersion: 1 })).unified, undefined);
  });
});

describe('toSandboxResources', () => {
  it('adds containers up and leaves overhead out', () => {
    const container = sampleContainer({
      resources: { requests: { cpu: '250m' }, limits: { cpu: '500m', memory: '1Gi' } },
    });
    const pod = samplePod({ containers: [container, container], overhead: { cpu: '1', memory: '1Gi' } });
    assert.deepEqual(toSandboxResources(pod, sampleNode()), {
      cpuShares: 512,
      cpuPeriod: 100_000,
      cpuQuota: 100_000,
      memoryLimitBytes: 2 * GIB,
      unified: { 'memory.oom.group': '1' },
    });
    assert.equal(toSandboxResources(pod, sampleNode(), true).cpuQuota, -1);
  });
});

describe('toOverheadResources', () => {
  it('is empty without overhead', () => assert.deepEqual(toOverheadResources(samplePod(), sampleNode()), {}));

  it('takes overhead for request and limit', () => {
    assert.deepEqual(
      toOverheadResources(samplePod({ overhead: { cpu: '250m', memory: '1Gi' } }), sampleNode()),
      {
        cpuShares: 256,
        cpuPeriod: 100_000,
        cpuQuota: 25_000,
        memoryLimitBytes: GIB,
        unified: { 'memory.oom.group': '1' },
      },
    );
  });
});

describe('formatPageSize', () => {
  const cases: [bytes: number, text: string][] = [
    [65_536, '64KB'],
    [2 ** 21, '2MB'],
    [2 ** 25, '32MB'],
    [GIB, '1GB'],
    [16 * GIB, '16GB'],
    [1000, '1000B'],
  ];
  for (const [bytes, text] of cases)
    it(`${bytes} is ${text}`, () => assert.equal(formatPageSize(bytes), text));
});
