import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import type { Container, PodSpec } from '../api/pod.ts';
import { formatQuantity } from '../api/quantity.ts';
import {
  bytesOf,
  computePodLimits,
  computePodRequests,
  milliOf,
  type PodResourceOptions,
  type ResourceAmounts,
} from './pod-resources.ts';

const asking = (cpu: string, over: Partial<Container> = {}): Container =>
  sampleContainer({ resources: { requests: { cpu }, limits: { cpu } }, ...over });
const sidecar = (cpu: string): Container => asking(cpu, { restartPolicy: 'Always' });

const text = (amounts: ResourceAmounts) =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));

const cases: [name: string, spec: Partial<PodSpec>, options: PodResourceOptions, expected: object][] = [
  ['adds main containers', { containers: [asking('1'), asking('500m')] }, {}, { cpu: '1500m' }],
  [
    'takes the largest init container',
    { containers: [asking('1')], initContainers: [asking('3'), asking('2')] },
    {},
    { cpu: '3' },
  ],
  [
    'adds sidecars to main containers',
    { containers: [asking('1')], initContainers: [sidecar('2')] },
    {},
    { cpu: '3' },
  ],
  [
    'lets an init container run beside earlier sidecars',
    { containers: [asking('1')], initContainers: [sidecar('2'), asking('4')] },
    {},
    { cpu: '6' },
  ],
  [
    'does not count later sidecars in an init peak',
    { containers: [asking('1')], initContainers: [asking('4'), sidecar('2')] },
    {},
    { cpu: '4' },
  ],
  ['adds overhead', { containers: [asking('1')], overhead: { cpu: '250m' } }, {}, { cpu: '1250m' }],
  [
    'leaves overhead out on demand',
    { containers: [asking('1')], overhead: { cpu: '1' } },
    { excludeOverhead: true },
    { cpu: '1' },
  ],
  [
    'prefers pod-level amounts',
    { containers: [asking('1')], resources: { requests: { cpu: '5', 'example.com/gpu': '1' } } },
    {},
    { cpu: '5' },
  ],
  [
    'adds overhead to pod-level amounts',
    { containers: [asking('1')], resources: { requests: { cpu: '5' } }, overhead: { cpu: '1' } },
    {},
    { cpu: '6' },
  ],
  [
    'ignores pod-level amounts while their gate is off',
    { containers: [asking('1')], resources: { requests: { cpu: '5' } } },
    { podLevelResources: false },
    { cpu: '1' },
  ],
  [
    'creates a request from overhead alone',
    { containers: [sampleContainer()], overhead: { memory: '1Mi' } },
    {},
    { memory: '1Mi' },
  ],
];

describe('computePodRequests', () => {
  for (const [name, spec, options, expected] of cases) {
    it(name, () => assert.deepEqual(text(computePodRequests(samplePod(spec), options)), expected));
  }
});

describe('computePodLimits', () => {
  it('adds overhead only to limits that exist', () => {
    const spec = { containers: [asking('1')], overhead: { cpu: '1', memory: '1Gi' } };
    assert.deepEqual(text(computePodLimits(samplePod(spec))), { cpu: '2' });
  });

  it('follows the same rules for init containers and sidecars', () => {
    const spec = { containers: [asking('1')], initContainers: [sidecar('2'), asking('4')] };
    assert.deepEqual(text(computePodLimits(samplePod(spec))), { cpu: '6' });
  });
});

describe('milliOf and bytesOf', () => {
  it('return zero for what is not requested', () => {
    const amounts = computePodRequests(samplePod({ containers: [asking('1')] }));
    assert.equal(milliOf(amounts, 'cpu'), 1000);
    assert.equal(milliOf(amounts, 'memory'), 0);
    assert.equal(bytesOf(amounts, 'memory'), 0);
  });
});
