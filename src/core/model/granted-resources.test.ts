import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod, sidecar } from '../../../test/samples/sample-pods.ts';
import { type ResizeGates, toGrantedResources, withGrantedResources } from './granted-resources.ts';

const ON: ResizeGates = { podLevel: true, initContainers: true };
const OFF: ResizeGates = { podLevel: false, initContainers: false };
const cpu = (amount: string) => ({ requests: { cpu: amount } });
const pod = samplePod({
  initContainers: [
    { name: 'init', image: 'i', resources: cpu('1') },
    sidecar('side', { resources: cpu('2') }),
  ],
  containers: [
    { name: 'main', image: 'i', resources: cpu('3') },
    { name: 'bare', image: 'i' },
  ],
  resources: { limits: { cpu: '9' } },
});

describe('toGrantedResources', () => {
  it('takes every container and the pod where the gates are on', () => {
    assert.deepEqual(toGrantedResources(pod, ON), {
      containers: { init: cpu('1'), side: cpu('2'), main: cpu('3'), bare: {} },
      pod: { limits: { cpu: '9' } },
    });
  });

  it('leaves out ordinary init containers and the pod where they are off', () => {
    assert.deepEqual(toGrantedResources(pod, OFF), {
      containers: { side: cpu('2'), main: cpu('3'), bare: {} },
    });
  });
});

describe('withGrantedResources', () => {
  it('returns the same pod when it has what it was granted, also in other notations', () => {
    const inOtherWords = {
      ...toGrantedResources(pod, ON),
      containers: { main: cpu('3000m'), bare: { limits: {} } },
    };
    assert.equal(withGrantedResources(pod, toGrantedResources(pod, ON), ON), pod);
    assert.equal(withGrantedResources(pod, inOtherWords, ON), pod);
    assert.equal(withGrantedResources(pod, undefined, ON), pod);
  });

  it('replaces requested resources by the granted ones and changes nothing else', () => {
    const granted = withGrantedResources(
      pod,
      { containers: { main: cpu('1'), side: cpu('1') }, pod: { limits: { cpu: '5' } } },
      ON,
    );
    assert.deepEqual(granted.spec.containers, [
      { name: 'main', image: 'i', resources: cpu('1') },
      { name: 'bare', image: 'i' },
    ]);
    assert.deepEqual(
      granted.spec.initContainers?.map(({ resources }) => resources),
      [cpu('1'), cpu('1')],
    );
    assert.deepEqual(granted.spec.resources, { limits: { cpu: '5' } });
    assert.equal(granted.metadata, pod.metadata);
  });

  it('leaves the resources of the pod as they are without the gate', () => {
    const granted = withGrantedResources(
      pod,
      { containers: { main: cpu('1') }, pod: { limits: { cpu: '5' } } },
      OFF,
    );
    assert.deepEqual(granted.spec.resources, { limits: { cpu: '9' } });
  });
});
