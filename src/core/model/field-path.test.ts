import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod, sidecar } from '../../../test/samples/sample-pods.ts';
import { toContainerFieldPath } from './field-path.ts';

describe('toContainerFieldPath', () => {
  const pod = samplePod({ initContainers: [sidecar('side')], ephemeralContainers: [{ name: 'debug' }] });
  for (const [name, path] of [
    ['main', 'spec.containers{main}'],
    ['side', 'spec.initContainers{side}'],
    ['debug', 'spec.ephemeralContainers{debug}'],
  ] as const) {
    it(`points at ${path}`, () => assert.equal(toContainerFieldPath(pod, name), path));
  }
});
