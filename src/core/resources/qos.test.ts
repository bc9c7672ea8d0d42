import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import type { Container, PodSpec, ResourceRequirements } from '../api/pod.ts';
import { computeQosClass } from './qos.ts';

const equal = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1000m', memory: '1024Mi' } };
const one = (resources?: ResourceRequirements): Container => sampleContainer(resources ? { resources } : {});

const cases: [name: string, spec: Partial<PodSpec>, expected: string][] = [
  ['no resources', { containers: [one()] }, 'BestEffort'],
  [
    'only zero amounts',
    { containers: [one({ requests: { cpu: '0' }, limits: { memory: '0' } })] },
    'BestEffort',
  ],
  [
    'only resources that do not count',
    { containers: [one({ limits: { 'ephemeral-storage': '1Gi' } })] },
    'BestEffort',
  ],
  ['requests equal limits in other words', { containers: [one(equal)] }, 'Guaranteed'],
  [
    'all containers alike, init too',
    { containers: [one(equal)], initContainers: [one(equal)] },
    'Guaranteed',
  ],
  ['an init container without limits', { containers: [one(equal)], initContainers: [one()] }, 'Burstable'],
  ['a container without limits', { containers: [one(equal), one()] }, 'Burstable'],
  ['no memory limit', { containers: [one({ requests: { cpu: '1' }, limits: { cpu: '1' } })] }, 'Burstable'],
  [
    'request below limit',
    { containers: [one({ ...equal, requests: { cpu: '1', memory: '1Mi' } })] },
    'Burstable',
  ],
  ['limits without a request', { containers: [one({ limits: equal.limits })] }, 'Burstable'],
  ['ephemeral containers ignored', { containers: [one(equal)], ephemeralContainers: [one()] }, 'Guaranteed'],
  ['pod-level equal', { containers: [one()], resources: equal }, 'Guaranteed'],
  [
    'pod-level requests only',
    { containers: [one(equal)], resources: { requests: { cpu: '1' } } },
    'Burstable',
  ],
  ['pod-level empty hides containers', { containers: [one(equal)], resources: {} }, 'BestEffort'],
];

describe('computeQosClass', () => {
  for (const [name, spec, expected] of cases) {
    it(`${name} is ${expected}`, () => assert.equal(computeQosClass(samplePod(spec)), expected));
  }

  it('keeps the class the status states', () => {
    const pod = { ...samplePod({ containers: [one(equal)] }), status: { qosClass: 'Burstable' as const } };
    assert.equal(computeQosClass(pod), 'Burstable');
  });

  it('ignores pod-level resources while their gate is off', () => {
    assert.equal(computeQosClass(samplePod({ containers: [one()], resources: equal }), false), 'BestEffort');
  });
});
