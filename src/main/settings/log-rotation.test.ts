import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import { toLogRotation } from './log-rotation.ts';

const config = {
  containerLogMaxSize: '10Mi',
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 2,
  containerLogMonitorInterval: '10s',
} as KubeletConfiguration;

describe('toLogRotation', () => {
  it('takes over what is configured', () => {
    const expected = { maxBytes: 10_485_760, maxFiles: 5, maxWorkers: 2, monitorIntervalMs: 10_000 };
    assert.deepEqual(toLogRotation({ config }), expected);
  });

  it('is off with a negative size', () => {
    assert.equal(toLogRotation({ config: { ...config, containerLogMaxSize: '-1' } }), undefined);
  });
});
