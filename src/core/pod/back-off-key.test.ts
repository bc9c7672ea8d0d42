import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import { computeBackOffKey } from './back-off-key.ts';

const key = (over = {}, pod = samplePod()) => computeBackOffKey(pod, sampleContainer(over));

describe('computeBackOffKey', () => {
  it('is the same whatever the order of resource names', () => {
    const one = key({ resources: { limits: { cpu: '1', memory: '1Gi' } } });
    assert.equal(key({ resources: { limits: { memory: '1Gi', cpu: '1' } } }), one);
  });

  it('is the same whatever the form of an amount', () => {
    const one = key({ resources: { limits: { cpu: '1', memory: '1Gi' } } });
    assert.equal(key({ resources: { limits: { cpu: '1000m', memory: '1073741824' } } }), one);
  });

  it('changes with pod, container, image and resources', () => {
    const keys = [
      key(),
      key({}, samplePod({}, { uid: 'other' })),
      key({}, samplePod({}, { name: 'other' })),
      key({}, samplePod({}, { namespace: 'other' })),
      key({ name: 'other' }),
      key({ image: 'other' }),
      key({ resources: { limits: { cpu: '1' } } }),
      key({ resources: { requests: { cpu: '1' } } }),
      key({ resources: { claims: [{ name: 'gpu' }] } }),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });
});
