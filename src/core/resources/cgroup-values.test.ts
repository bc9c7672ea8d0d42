import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, sampleNode, samplePod, withGate } from '../../../test/samples/sample-pod.ts';
import type { Pod, ResourceRequirements } from '../api/pod.ts';
import {
  computeAllPodsValues,
  computeReservedValues,
  computeTierMemory,
  computeTierValues,
  NO_DEMAND,
  sumDemands,
  toTierDemand,
} from './cgroup-values.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const machine = { cpuCount: 4, cpus: '0-3', memoryBytes: 16 * GIB, pidLimit: 32_768 };
const node = sampleNode();

describe('computeAllPodsValues', () => {
  it('is the machine less both reservations; eviction thresholds do not count', () => {
    assert.deepEqual(
      computeAllPodsValues(machine, [{ cpu: '200m', memory: '512Mi' }, { pid: '768' }], node),
      {
        cpuShares: 3891,
        cpus: '0-3',
        memoryLimitBytes: 15_872 * MIB,
        pidsLimit: 32_000,
      },
    );
  });

  it('is the whole machine when nothing is reserved, and leaves out what is unknown', () => {
    assert.deepEqual(computeAllPodsValues({ cpuCount: 4, cpus: '', memoryBytes: GIB }, [], node), {
      cpuShares: 4096,
      memoryLimitBytes: GIB,
    });
  });

  it('never goes below the least weight, nor writes a limit of nothing', () => {
    assert.deepEqual(computeAllPodsValues(machine, [{ cpu: '5', memory: '20Gi', pid: '40000' }], node), {
      cpuShares: 2,
      cpus: '0-3',
    });
  });

  it('lifts the limits of all page sizes: those of the pods count', () => {
    const { hugepageLimits } = computeAllPodsValues(
      machine,
      [],
      sampleNode({ hugepageSizesBytes: [2 * MIB, GIB] }),
    );
    assert.deepEqual(hugepageLimits, [
      { pageSize: '2MB', limitBytes: 2 ** 62 },
      { pageSize: '1GB', limitBytes: 2 ** 62 },
    ]);
  });
});

describe('computeReservedValues', () => {
  const reserved = { cpu: '500m', memory: '1Gi', pid: '1000', 'ephemeral-storage': '1Gi' };

  it('limits cpu, memory, processes and huge pages', () => {
    assert.deepEqual(computeReservedValues(reserved, sampleNode({ hugepageSizesBytes: [2 * MIB] }), false), {
      cpuShares: 512,
      memoryLimitBytes: GIB,
      pidsLimit: 1000,
      hugepageLimits: [{ pageSize: '2MB', limitBytes: 0 }],
    });
  });

  it('limits only the cpu with `cpuOnly`, and nothing that is not reserved', () => {
    assert.deepEqual(computeReservedValues(reserved, node, true), { cpuShares: 512 });
    assert.deepEqual(computeReservedValues({}, node, false), {});
  });

  it('protects the memory as well with MemoryQoS on version 2', () => {
    const values = (cgroupVersion: 1 | 2) =>
      computeReservedValues({ memory: '1Gi' }, withGate('MemoryQoS', { cgroupVersion }), false);
    assert.deepEqual(values(2), { memoryLimitBytes: GIB, memoryMinBytes: GIB });
    assert.deepEqual(values(1), { memoryLimitBytes: GIB });
  });
});

function podWith(resources: ResourceRequirements, spec: Partial<Pod['spec']> = {}): Pod {
  return samplePod({ containers: [sampleContainer({ resources })], ...spec });
}

describe('toTierDemand', () => {
  it('counts a burstable pod with its overhead', () => {
    const pod = podWith(
      { requests: { cpu: '250m', memory: '64Mi' } },
      { overhead: { cpu: '50m', memory: '6Mi' } },
    );
    assert.deepEqual(toTierDemand(pod, node), {
      burstableMilli: 300,
      burstableBytes: 70 * MIB,
      guaranteedBytes: 0,
    });
  });

  it('counts only the memory of a guaranteed pod, and nothing of a best-effort one', () => {
    const list = { cpu: '1', memory: '1Gi' };
    assert.deepEqual(toTierDemand(podWith({ requests: list, limits: list }), node), {
      ...NO_DEMAND,
      guaranteedBytes: GIB,
    });
    assert.deepEqual(toTierDemand(podWith({}), node), NO_DEMAND);
  });

  it('takes resources of the pod as a whole where the gate is on', () => {
    const pod = podWith(
      { requests: { cpu: '100m' } },
      { resources: { requests: { cpu: '700m', memory: '1Gi' } } },
    );
    assert.equal(toTierDemand(pod, node).burstableMilli, 700);
    assert.equal(toTierDemand(pod, { features: () => false }).burstableMilli, 100);
  });
});

describe('computeTierMemory', () => {
  it('keeps a part of what higher tiers ask for from lower ones', () => {
    const demand = { burstableMilli: 0, burstableBytes: 200, guaranteedBytes: 301 };
    assert.deepEqual(computeTierMemory(1000, demand, 50), {
      burstable: { memoryLimitBytes: 850 },
      bestEffort: { memoryLimitBytes: 750 },
    });
    assert.equal(computeTierMemory(100, demand, 100).bestEffort.memoryLimitBytes, 0);
  });
});

describe('computeTierValues', () => {
  const demand = sumDemands([
    { burstableMilli: 300, burstableBytes: MIB, guaranteedBytes: 0 },
    { burstableMilli: 700, burstableBytes: MIB, guaranteedBytes: 0 },
    { burstableMilli: 0, burstableBytes: 0, guaranteedBytes: GIB },
  ]);

  it('weighs the burstable tier by the sum of its requests and the other as little as possible', () => {
    assert.deepEqual(computeTierValues(demand, node), {
      allPods: {},
      burstable: { cpuShares: 1024 },
      bestEffort: { cpuShares: 2 },
    });
    assert.deepEqual(computeTierValues(NO_DEMAND, node).burstable, { cpuShares: 2 });
  });

  it('leaves the burstable tier alone while the pods are not known', () => {
    assert.deepEqual(computeTierValues(undefined, withGate('MemoryQoS')), {
      allPods: {},
      burstable: {},
      bestEffort: { cpuShares: 2 },
    });
  });

  it('protects memory by tier only with the gate, its policy and version 2', () => {
    const protection = (over: Parameters<typeof sampleNode>[0], gate = 'MemoryQoS') => {
      const { allPods, burstable } = computeTierValues(demand, withGate(gate, over));
      return [allPods.memoryMinBytes, burstable.memoryLowBytes];
    };
    assert.deepEqual(protection({ memoryReservationPolicy: 'TieredReservation' }), [GIB + 2 * MIB, 2 * MIB]);
    assert.deepEqual(protection({ memoryReservationPolicy: 'None' }), [0, 0]);
    assert.deepEqual(protection({ memoryReservationPolicy: 'TieredReservation', cgroupVersion: 1 }), [
      undefined,
      undefined,
    ]);
    assert.deepEqual(protection({ memoryReservationPolicy: 'TieredReservation' }, 'Other'), [
      undefined,
      undefined,
    ]);
  });
});
