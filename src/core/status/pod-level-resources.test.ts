import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { ResourceRequirements } from '../api/pod.ts';
import type { PodPhase } from '../api/pod-status.ts';
import { computePodLevelStatus } from './pod-level-resources.ts';

const need = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const node = sampleNode({ features: () => true });
const gates = { podLevel: true, initContainers: true };
const two = samplePod({
  containers: [
    { name: 'a', image: 'i', resources: need('100m', '64Mi') },
    { name: 'b', image: 'i', resources: need('200m', '64Mi') },
  ],
});
const compute = (pod = two, phase: PodPhase = 'Running', actuated = {}) =>
  computePodLevelStatus(pod, { containers: actuated }, phase, gates, node);

describe('computePodLevelStatus', () => {
  it('is the sum of what the containers were granted before the pod runs', () => {
    const sum = need('300m', '128Mi');
    assert.deepEqual(compute(two, 'Pending'), { allocatedResources: sum.requests, resources: sum });
  });

  it('is what is in force while it runs', () => {
    const status = compute(two, 'Running', { a: need('1', '32Mi') });
    assert.deepEqual(status.allocatedResources, { cpu: '300m', memory: '128Mi' });
    assert.deepEqual(status.resources, need('1200m', '96Mi'));
  });

  it('has the resources of the pod where it sets its own', () => {
    const pod = samplePod({ resources: need('500m', '256Mi') });
    const expected = {
      allocatedResources: { cpu: '500m', memory: '256Mi' },
      resources: need('500m', '256Mi'),
    };
    assert.deepEqual(computePodLevelStatus(pod, undefined, 'Running', gates, node), expected);
    const actuated = { containers: {}, pod: need('1', '256Mi') };
    const { resources } = computePodLevelStatus(pod, actuated, 'Running', gates, node);
    assert.deepEqual(resources, need('1', '256Mi'));
  });

  it('shows no limit where some container has none, and nothing for a pod without requests', () => {
    const pod = samplePod({ containers: [{ name: 'a', image: 'i', resources: { requests: { cpu: '1' } } }] });
    assert.deepEqual(compute(pod), {
      allocatedResources: { cpu: '1' },
      resources: { requests: { cpu: '1' } },
    });
    assert.deepEqual(compute(samplePod()), { resources: {} });
  });

  it('is empty without the gate', () => {
    assert.deepEqual(
      computePodLevelStatus(two, undefined, 'Running', { ...gates, podLevel: false }, node),
      {},
    );
  });
});
