import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodSpec, ResourceFieldSelector } from '../api/pod.ts';
import { toResourceValue } from './resource-reference.ts';

const web = sampleContainer({
  resources: {
    requests: { cpu: '250m', memory: '100Mi' },
    limits: { cpu: '1500m', memory: '1Gi', 'hugepages-2Mi': '4Mi' },
  },
});
const bare = sampleContainer({ name: 'bare' });
const init = sampleContainer({ name: 'init' });
const spec: Partial<PodSpec> = { containers: [web, bare], initContainers: [init] };

const value = (container: typeof web, selector: ResourceFieldSelector, more: Partial<PodSpec> = {}) =>
  toResourceValue(samplePod({ ...spec, ...more }), container, selector, sampleNode());

const cases: [container: typeof web, selector: ResourceFieldSelector, expected: string][] = [
  [web, { resource: 'limits.cpu' }, '2'],
  [web, { resource: 'limits.cpu', divisor: '1m' }, '1500'],
  [web, { resource: 'limits.cpu', divisor: '1' }, '2'],
  [web, { resource: 'limits.cpu', divisor: '0' }, '2'],
  [web, { resource: 'requests.cpu' }, '1'],
  [web, { resource: 'requests.cpu', divisor: '100m' }, '3'],
  [web, { resource: 'requests.memory' }, '104857600'],
  [web, { resource: 'requests.memory', divisor: '1Mi' }, '100'],
  [web, { resource: 'requests.memory', divisor: '1Gi' }, '1'],
  [web, { resource: 'limits.hugepages-2Mi', divisor: '1Mi' }, '4'],
  [bare, { resource: 'limits.hugepages-2Mi' }, '0'],
  [bare, { resource: 'requests.memory' }, '0'],
  [bare, { resource: 'requests.ephemeral-storage' }, '0'],
  [bare, { resource: 'limits.cpu', divisor: '1m' }, '3800'],
  [bare, { resource: 'limits.memory', divisor: '1Gi' }, '15'],
  [bare, { resource: 'limits.ephemeral-storage', divisor: '1Gi' }, '90'],
  [bare, { containerName: 'web', resource: 'limits.memory', divisor: '1Gi' }, '1'],
  [web, { containerName: 'bare', resource: 'limits.memory', divisor: '1Gi' }, '15'],
  [web, { containerName: 'init', resource: 'limits.memory' }, '0'],
  [init, { resource: 'limits.memory', divisor: '1Gi' }, '15'],
];

describe('toResourceValue', () => {
  for (const [container, selector, expected] of cases) {
    it(`${container.name} sees ${JSON.stringify(selector)} as ${expected}`, () => {
      assert.deepEqual(value(container, selector), { ok: true, value: expected });
    });
  }

  it('takes the limit of the pod before that of the node', () => {
    const more = { resources: { limits: { memory: '2Gi', 'ephemeral-storage': '1Gi' } } };
    assert.deepEqual(value(bare, { resource: 'limits.memory', divisor: '1Gi' }, more), {
      ok: true,
      value: '2',
    });
    assert.deepEqual(value(bare, { resource: 'limits.cpu', divisor: '1m' }, more), {
      ok: true,
      value: '3800',
    });
    assert.deepEqual(value(bare, { resource: 'limits.ephemeral-storage', divisor: '1Gi' }, more), {
      ok: true,
      value: '90',
    });
  });

  it('refuses unknown resources and containers', () => {
    assert.deepEqual(value(web, { resource: 'limits.pods' }), {
      ok: false,
      message: 'unsupported container resource : limits.pods',
    });
    assert.deepEqual(value(web, { containerName: 'x', resource: 'limits.cpu' }), {
      ok: false,
      message: 'container x not found',
    });
  });
});
