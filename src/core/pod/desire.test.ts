import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { randomPod } from '../../../test/samples/random-pods.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../api/pod.ts';
import type { PodCondition } from '../api/pod-status.ts';
import { isSameDesire, isSameForeign, isSameShown } from './desire.ts';

const pod = samplePod({}, { metadata: { labels: { a: '1' }, annotations: { note: 'x' } } });
const withMeta = (metadata: Partial<Pod['metadata']>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, ...metadata },
});

describe('isSameDesire', () => {
  const rows: [string, Pod, boolean][] = [
    ['nothing', { ...pod }, true],
    ['the status', { ...pod, status: { phase: 'Running' } }, true],
    ['the resource version', withMeta({ resourceVersion: '2' }), true],
    ['its source', withMeta({ annotations: { note: 'x', 'kubernetes.io/config.source': 'api' } }), true],
    ['when it was seen', withMeta({ annotations: { note: 'x', 'kubernetes.io/config.seen': 'now' } }), true],
    ['the mirror mark', withMeta({ annotations: { note: 'x', 'kubernetes.io/config.mirror': 'h' } }), true],
    ['the config hash', withMeta({ annotations: { note: 'x', 'kubernetes.io/config.hash': 'h' } }), false],
    ['an annotation', withMeta({ annotations: { note: 'y' } }), false],
    ['a label', withMeta({ labels: { a: '2' } }), false],
    ['a missing label', withMeta({ labels: {} }), false],
    ['the deletion', withMeta({ deletionTimestamp: 'now' }), false],
    ['the deletion grace', withMeta({ deletionGracePeriodSeconds: 0 }), false],
    ['an image', { ...pod, spec: { containers: [{ name: 'main', image: 'app:2' }] } }, false],
    ['one container more', { ...pod, spec: { containers: [...pod.spec.containers, { name: 'b' }] } }, false],
  ];
  for (const [what, other, expected] of rows) {
    it(`is ${expected} when ${what} differs`, () => {
      assert.deepEqual([isSameDesire(pod, other), isSameDesire(other, pod)], [expected, expected]);
    });
  }

  it('takes missing labels and annotations as empty', () => {
    assert.ok(isSameDesire(samplePod(), samplePod({}, { metadata: { labels: {}, annotations: {} } })));
  });

  it('is true for a copy with its keys in another order', () => {
    fc.assert(fc.property(randomPod, (any) => assert.ok(isSameDesire(any, reversed(any) as Pod))));
  });
});

describe('isSameShown', () => {
  const rows: [string, Pod, boolean][] = [
    ['nothing', { ...pod }, true],
    ['the status', { ...pod, status: { phase: 'Running' } }, true],
    ['the deletion', withMeta({ deletionTimestamp: 'now', deletionGracePeriodSeconds: 1 }), true],
    ['when it was seen', withMeta({ annotations: { note: 'x', 'kubernetes.io/config.seen': 'now' } }), false],
    ['an annotation', withMeta({ annotations: { note: 'y' } }), false],
    ['a label', withMeta({ labels: { a: '2' } }), false],
    ['missing labels', withMeta({ labels: {} }), false],
    [
      'a limit',
      { ...pod, spec: { containers: [{ name: 'main', resources: { limits: { cpu: '1' } } }] } },
      false,
    ],
  ];
  for (const [what, other, expected] of rows) {
    it(`is ${expected} when ${what} differs`, () => {
      assert.deepEqual([isSameShown(pod, other), isSameShown(other, pod)], [expected, expected]);
    });
  }
});

describe('isSameForeign', () => {
  const withConditions = (...conditions: PodCondition[]): Pod => ({
    ...pod,
    status: { phase: 'Running', conditions },
  });
  const gate: PodCondition = { type: 'gate.example.org/open', status: 'True', reason: 'r', message: 'm' };
  const ready: PodCondition = { type: 'Ready', status: 'True' };
  const rows: [string, Pod, Pod, boolean][] = [
    [
      'own conditions differ',
      withConditions(gate, ready),
      withConditions(gate, { ...ready, status: 'False' }),
      true,
    ],
    ['the order differs', withConditions(gate, ready), withConditions(ready, gate), true],
    [
      'only the time of a transition differs',
      withConditions({ ...gate, lastTransitionTime: 'a' }),
      withConditions(gate),
      true,
    ],
    ['one has no status at all', pod, withConditions(ready), true],
    ['a foreign condition was added', withConditions(ready), withConditions(ready, gate), false],
    ['its status differs', withConditions(gate), withConditions({ ...gate, status: 'False' }), false],
    ['its reason differs', withConditions(gate), withConditions({ ...gate, reason: 'other' }), false],
    ['its message differs', withConditions(gate), withConditions({ ...gate, message: 'other' }), false],
  ];
  for (const [what, a, b, expected] of rows) {
    it(`is ${expected} when ${what}`, () => {
      assert.deepEqual([isSameForeign(a, b), isSameForeign(b, a)], [expected, expected]);
    });
  }
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
