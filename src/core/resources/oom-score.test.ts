import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import type { Container, PodSpec } from '../api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../api/pod-identity.ts';
import { computeOomScore } from './oom-score.ts';

const GIB = 2 ** 30;
const asking = (memory: string, over: Partial<Container> = {}): Container =>
  sampleContainer({ resources: { requests: { memory } }, ...over });
const full = sampleContainer({
  resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
});

const cases: [name: string, spec: Partial<PodSpec>, container: Container, expected: number][] = [
  ['Guaranteed', { containers: [full] }, full, -997],
  ['BestEffort', { containers: [sampleContainer()] }, sampleContainer(), 1000],
  ['128Mi of 16Gi', { containers: [asking('128Mi')] }, asking('128Mi'), 993],
  ['64Mi of 16Gi', { containers: [asking('64Mi')] }, asking('64Mi'), 997],
  [
    'no request of its own in a Burstable pod',
    { containers: [asking('1Gi'), sampleContainer()] },
    sampleContainer(),
    999,
  ],
  ['everything there is', { containers: [asking('16Gi')] }, asking('16Gi'), 3],
  [
    'the pod asks for more than its containers',
    { containers: [asking('1Gi'), asking('1Gi')], resources: { requests: { memory: '4Gi' } } },
    asking('1Gi'),
    875,
  ],
  [
    'init containers take their part of what the pod asks for beyond them',
    {
      containers: [asking('1Gi')],
      initContainers: [asking('1Gi', { name: 'i' })],
      resources: { requests: { memory: '5Gi' } },
    },
    asking('1Gi'),
    813,
  ],
  [
    'the pod asks for cpu only',
    { containers: [asking('1Gi')], resources: { requests: { cpu: '1' } } },
    asking('1Gi'),
    938,
  ],
  [
    'a sidecar is as safe as the smallest main container',
    {
      containers: [asking('4Gi'), asking('8Gi')],
      initContainers: [asking('1Gi', { name: 's', restartPolicy: 'Always' })],
    },
    asking('1Gi', { name: 's', restartPolicy: 'Always' }),
    750,
  ],
  [
    'a sidecar safer by itself stays so',
    { containers: [asking('1Gi')], initContainers: [asking('4Gi', { name: 's', restartPolicy: 'Always' })] },
    asking('4Gi', { name: 's', restartPolicy: 'Always' }),
    750,
  ],
  [
    'critical by priority and class',
    { containers: [asking('1Gi')], priority: 2_000_001_000, priorityClassName: 'system-node-critical' },
    asking('1Gi'),
    -997,
  ],
  [
    'the class without the priority',
    { containers: [asking('8Gi')], priorityClassName: 'system-node-critical' },
    asking('8Gi'),
    500,
  ],
  [
    'the priority with another class',
    { containers: [asking('8Gi')], priority: 2_000_000_000, priorityClassName: 'system-cluster-critical' },
    asking('8Gi'),
    500,
  ],
];

describe('computeOomScore', () => {
  for (const [name, spec, container, expected] of cases) {
    it(`${name} scores ${expected}`, () => {
      assert.equal(computeOomScore(samplePod(spec), container, 16 * GIB), expected);
    });
  }

  it('a static pod of the node-critical class counts as critical', () => {
    const pod = samplePod(
      { containers: [sampleContainer()], priorityClassName: 'system-node-critical' },
      { annotations: { [CONFIG_SOURCE_ANNOTATION]: 'file' } },
    );
    assert.equal(computeOomScore(pod, sampleContainer(), 16 * GIB), -997);
  });

  it('stays between 3 and 999 and falls with the request for every Burstable container', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4e10 }), fc.integer({ min: 1, max: 4e10 }), (a, b) => {
        const [small, large] = [Math.min(a, b), Math.max(a, b)].map((bytes) => {
          const container = asking(String(bytes));
          return computeOomScore(samplePod({ containers: [container] }), container, 16 * GIB);
        });
        assert.ok(small! >= large! && large! >= 3 && small! <= 999);
      }),
    );
  });
});
