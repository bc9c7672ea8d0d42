import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import type { ProcessFlags } from '../config/process-flags.ts';
import { toImageCollection } from './image-collection.ts';

describe('toImageCollection', () => {
  it('takes over what is configured', () => {
    const config = {
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      imageMinimumGCAge: '2m0s',
      imageMaximumGCAge: '0s',
    } as KubeletConfiguration;
    const flags = { collectUnpullableImages: true } as ProcessFlags;
    assert.deepEqual(toImageCollection({ config, flags }), {
      highPercent: 85,
      lowPercent: 80,
      minAgeMs: 120_000,
      maxAgeMs: 0,
      collectsUnpullable: true,
    });
  });
});
