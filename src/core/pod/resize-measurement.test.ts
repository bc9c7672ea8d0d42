import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { ResourceRequirements } from '../api/pod.ts';
import { toResizeRequests } from './resize-measurement.ts';

const pod = (resources: ResourceRequirements) =>
  samplePod({ containers: [{ name: 'main', image: 'i', resources }] });

describe('toResizeRequests', () => {
  it('names each change by resource, requirement and direction', () => {
    const before = pod({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' } });
    const after = pod({ requests: { cpu: '2', memory: '512Mi' }, limits: { memory: '2Gi' } });
    assert.deepEqual(
      toResizeRequests(before, after).map((one) => `${one.resource} ${one.requirement} ${one.operation}`),
      ['memory requests decrease', 'memory limits add', 'cpu requests increase', 'cpu limits remove'],
    );
    assert.deepEqual(toResizeRequests(before, before), []);
  });
});
