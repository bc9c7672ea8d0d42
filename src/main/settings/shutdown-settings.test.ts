import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveFeatureGates } from '../config/features.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import { toShutdownSettings } from './shutdown-settings.ts';

const OFF = {
  shutdownGracePeriod: '0s',
  shutdownGracePeriodCriticalPods: '0s',
  shutdownGracePeriodByPodPriority: [],
} as unknown as KubeletConfiguration;
const TOTAL = { ...OFF, shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' };

const settings = (config: object, gates: Record<string, boolean> = {}) =>
  toShutdownSettings({ config: config as KubeletConfiguration, features: resolveFeatureGates(gates).gates });

describe('toShutdownSettings', () => {
  it('is off by default, and with its gate', () => {
    assert.equal(settings(OFF), undefined);
    const gates = {
      GracefulNodeShutdown: false,
      GracefulNodeShutdownBasedOnPodPriority: false,
      WindowsGracefulNodeShutdown: false,
    };
    assert.equal(settings(TOTAL, gates), undefined);
  });

  it('takes both forms over', () => {
    assert.deepEqual(settings(TOTAL), {
      periods: [
        { priority: 0, seconds: 20 },
        { priority: 2_000_000_000, seconds: 10 },
      ],
      keepsTimes: true,
    });
    const byPriority = [{ priority: 7, shutdownGracePeriodSeconds: 3 }];
    assert.deepEqual(settings({ ...OFF, shutdownGracePeriodByPodPriority: byPriority }), {
      periods: [{ priority: 7, seconds: 3 }],
      keepsTimes: true,
    });
  });

  it('knows neither priorities nor times without their gate', () => {
    const gates = { GracefulNodeShutdownBasedOnPodPriority: false };
    assert.equal(settings(TOTAL, gates)?.keepsTimes, false);
    const byPriority = [{ priority: 7, shutdownGracePeriodSeconds: 3 }];
    assert.equal(settings({ ...OFF, shutdownGracePeriodByPodPriority: byPriority }, gates), undefined);
  });
});
