import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { Container, Pod } from '../api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../api/pod-identity.ts';
import { admitResize, type ResizeAdmissionFacts } from './admit-resize.ts';
import { toHeldPod } from './held-pod.ts';
import { compareResizes, type WaitingResize } from './resize-order.ts';

const swapNode = {
  swap: {
    behavior: 'LimitedSwap' as const,
    controllerAvailable: true,
    capacityBytes: 1000,
    tmpfsNoSwap: true,
  },
  cgroupVersion: 2 as const,
  memoryCapacityBytes: 10_000,
  features: () => true,
};
function facts(more: Partial<ResizeAdmissionFacts> = {}): ResizeAdmissionFacts {
  return {
    node: {
      name: 'node-1',
      labels: {},
      taints: [],
      allocatable: { cpu: '2', memory: '4Gi', pods: '10' },
      supplementalGroupsPolicy: false,
    },
    operatingSystem: 'linux',
    kernelVersion: '6.1.0',
    allowedUnsafeSysctls: [],
    appArmorEnabled: false,
    pressures: [],
    declaredFeatures: undefined,
    shuttingDown: false,
    podLevelResources: true,
    others: [],
    gates: { podLevel: true, initContainers: true },
    exclusiveCpus: false,
    exclusiveMemory: false,
    cpuManagerPolicy: 'none',
    memoryManagerPolicy: 'None',
    swapNode: { ...swapNode, swap: { ...swapNode.swap, behavior: 'NoSwap' } },
    ...more,
  };
}
const asking = (requests: Record<string, string>, more: Partial<Container> = {}): Pod =>
  samplePod({ containers: [{ name: 'main', image: 'i', resources: { requests }, ...more }] });
const guaranteed = (cpu: string, memory: string): Pod =>
  asking({ cpu, memory }, { resources: { requests: { cpu, memory }, limits: { cpu, memory } } });
const named = (pod: Pod, uid: string): Pod => ({ ...pod, metadata: { ...pod.metadata, uid } });

describe('admitResize', () => {
  it('grants a resize that fits', () => {
    const others = [named(asking({ cpu: '1' }), 'other')];
    assert.equal(admitResize(asking({ cpu: '1' }), asking({ cpu: '500m' }), facts({ others })).ok, true);
  });

  it('defers a resize that does not fit, with the words of admission', () => {
    const others = [named(asking({ cpu: '1500m' }), 'other')];
    assert.deepEqual(admitResize(asking({ cpu: '1' }), asking({ cpu: '500m' }), facts({ others })), {
      ok: false,
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
    });
  });

  const asStatic = (pod: Pod): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, annotations: { [CONFIG_SOURCE_ANNOTATION]: 'file' } },
  });
  const burstable = (memory: string, more: Partial<Container> = {}): Pod =>
    asking({ memory }, { resources: { requests: { memory }, limits: { memory: '1Gi' } }, ...more });
  const restart = { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] };
  const podLevel = (cpu: string): Pod => samplePod({ resources: { requests: { cpu } } });
  const table: readonly (readonly [string, Pod, Pod, Partial<ResizeAdmissionFacts>, string | undefined])[] = [
    [
      'a static pod',
      asking({ cpu: '1' }),
      asStatic(asking({ cpu: '500m' })),
      {},
      'In-place resize of static-pods is not supported',
    ],
    [
      'memory of a container with swap',
      burstable('100'),
      burstable('200'),
      { swapNode },
      'In-place resize of containers with swap is not supported.',
    ],
    ['… that restarts for it', burstable('100', restart), burstable('200', restart), { swapNode }, undefined],
    ['… whose memory stays', burstable('100'), burstable('100'), { swapNode }, undefined],
    [
      '… under cgroup version 1',
      burstable('100'),
      burstable('200'),
      { swapNode: { ...swapNode, cgroupVersion: 1 } },
      undefined,
    ],
    [
      'the pod as a whole without the gate',
      podLevel('1'),
      podLevel('500m'),
      { gates: { podLevel: false, initContainers: true } },
      'InPlacePodLevelResourcesVerticalScaling is disabled',
    ],
    [
      'a container of such a pod',
      asking({ cpu: '1' }),
      asking({ cpu: '500m' }),
      { gates: { podLevel: false, initContainers: true } },
      undefined,
    ],
    [
      'cpu of a guaranteed pod under the Static policy for memory',
      guaranteed('1', '1Gi'),
      guaranteed('500m', '1Gi'),
      { memoryManagerPolicy: 'Static' },
      undefined,
    ],
    [
      'cpu of a guaranteed pod under the static policy',
      guaranteed('1', '1Gi'),
      guaranteed('500m', '1Gi'),
      { cpuManagerPolicy: 'static' },
      'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
    ],
    [
      '… with the gate',
      guaranteed('1', '1Gi'),
      guaranteed('500m', '1Gi'),
      { cpuManagerPolicy: 'static', exclusiveCpus: true },
      undefined,
    ],
    [
      '… its memory',
      guaranteed('1', '2Gi'),
      guaranteed('1', '1Gi'),
      { cpuManagerPolicy: 'static' },
      undefined,
    ],
    [
      'memory of a guaranteed pod under the Static policy',
      guaranteed('1', '2Gi'),
      guaranteed('1', '1Gi'),
      { memoryManagerPolicy: 'Static' },
      'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"',
    ],
    [
      'cpu of a burstable pod under the static policy',
      asking({ cpu: '1' }),
      asking({ cpu: '500m' }),
      { cpuManagerPolicy: 'static' },
      undefined,
    ],
  ];
  /** As metrics have them. */
  const DETAILS: ReadonlyMap<string, string> = new Map([
    ['In-place resize of static-pods is not supported', 'static_pod'],
    ['In-place resize of containers with swap is not supported.', 'swap_limitation'],
    ['InPlacePodLevelResourcesVerticalScaling is disabled', 'feature_gate_off'],
    [
      'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
      'guaranteed_pod_cpu_manager_static_policy',
    ],
    [
      'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"',
      'guaranteed_pod_memory_manager_static_policy',
    ],
  ]);
  for (const [name, pod, granted, more, message] of table) {
    it(`${name} is ${message === undefined ? 'possible' : 'infeasible'}`, () => {
      const { detail, ...admission } = { detail: undefined, ...admitResize(pod, granted, facts(more)) };
      assert.equal(detail, message === undefined ? undefined : DETAILS.get(message));
      const expected =
        message === undefined ? { ok: true, victims: [] } : { ok: false, reason: 'Infeasible', message };
      assert.deepEqual(admission, expected);
    });
  }
});

describe('compareResizes', () => {
  const wish = (pod: Pod, granted: Pod, waitsSinceMs?: number): WaitingResize => ({
    pod,
    granted,
    waitsSinceMs,
  });
  const grows = (priority: number, waits?: number): WaitingResize => {
    const pod = asking({ cpu: '2' });
    return wish({ ...pod, spec: { ...pod.spec, priority } }, asking({ cpu: '1' }), waits);
  };
  it('orders by no increase, then priority, then guaranteed, then longest wait', () => {
    const shrinks = wish(asking({ cpu: '1' }), asking({ cpu: '2' }));
    const firm = wish(guaranteed('2', '1Gi'), guaranteed('1', '1Gi'));
    const order = [shrinks, grows(5), firm, grows(0, 10), grows(0, 20), grows(0)];
    const shuffled = [3, 5, 1, 0, 4, 2].flatMap((index) => order[index] ?? []);
    assert.deepEqual(shuffled.sort(compareResizes), order);
    const hungry = wish(asking({ memory: '2Gi' }), asking({ memory: '1Gi' }));
    assert.deepEqual([hungry, shrinks].sort(compareResizes), [shrinks, hungry]);
    const unranked = wish(asking({ cpu: '2' }), asking({ cpu: '1' }), 15);
    assert.deepEqual([grows(0, 20), unranked, grows(0, 10), grows(1)].sort(compareResizes), [
      grows(1),
      grows(0, 10),
      unranked,
      grows(0, 20),
    ]);
  });
});

describe('toHeldPod', () => {
  const granted = asking({ cpu: '1', memory: '2Gi' });
  it('counts what is still in force of a shrinking pod', () => {
    const held = toHeldPod(granted, { containers: { main: { requests: { cpu: '2', memory: '1Gi' } } } });
    assert.deepEqual(held.spec.containers[0]?.resources?.requests, { cpu: '2', memory: '2Gi' });
  });
  it('is the granted pod when that has the most', () => {
    assert.equal(toHeldPod(granted, { containers: { main: { requests: { cpu: '1' } } } }), granted);
    assert.equal(toHeldPod(granted, undefined), granted);
  });
});
