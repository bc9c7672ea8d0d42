import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import { computeTmpfsSize, supportsNoSwap, toTmpfsOptions } from './memory-medium.ts';

describe('toTmpfsOptions', () => {
  it('leaves the size out only when nothing limits it', () => {
    assert.deepEqual(toTmpfsOptions(0, { tmpfsNoSwap: false }), []);
    assert.deepEqual(toTmpfsOptions(4096, { tmpfsNoSwap: false }), ['size=4096']);
    assert.deepEqual(toTmpfsOptions(4096, { tmpfsNoSwap: true }), ['size=4096', 'noswap']);
  });

  it('knows from which version on the kernel can keep such memory from being swapped', () => {
    const since = ['6.3.9', '6.4.0', '6.10', '7.0', '5.19', 'odd'].map(supportsNoSwap);
    assert.deepEqual(since, [false, true, true, true, false, false]);
  });
});

describe('computeTmpfsSize', () => {
  it('is empty on a node that reports no memory', () => {
    assert.equal(computeTmpfsSize(samplePod(), undefined, sampleNode({ allocatable: {} })), 0);
  });
});
