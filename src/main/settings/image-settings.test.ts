import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveFeatureGates } from '../config/features.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import { toImageSettings } from './image-settings.ts';

const HOST = { rootDir: '/var/lib/kubelet', workingDirectory: '/', home: '/root' };
const settings = (config: Partial<KubeletConfiguration>, gates: Record<string, boolean> = {}) =>
  toImageSettings(
    {
      config: {
        serializeImagePulls: true,
        registryPullQPS: 5,
        registryBurst: 10,
        preloadedImagesVerificationAllowlist: [],
        ...config,
      } as unknown as KubeletConfiguration,
      features: resolveFeatureGates(gates).gates,
    },
    HOST,
  );

describe('toImageSettings', () => {
  const rows: [Partial<KubeletConfiguration>, pulls: number][] = [
    [{}, 1],
    [{ maxParallelImagePulls: 1 }, 1],
    [{ serializeImagePulls: false }, Number.POSITIVE_INFINITY],
    [{ serializeImagePulls: false, maxParallelImagePulls: 7 }, 7],
  ];
  for (const [config, pulls] of rows)
    it(`${JSON.stringify(config)}: ${pulls} pulls at a time`, () => {
      assert.equal(settings(config).maxParallelPulls, pulls);
    });

  it('takes the rate as it is', () => {
    const { pullsPerSecond, burst } = settings({ registryPullQPS: 0, registryBurst: 3 });
    assert.deepEqual([pullsPerSecond, burst], [0, 3]);
  });

  it('verifies as configured, and not at all while the gate is off', () => {
    assert.deepEqual(
      settings({
        imagePullCredentialsVerificationPolicy: 'NeverVerifyAllowlistedImages',
        preloadedImagesVerificationAllowlist: ['a.example/*'],
      }).verification,
      { policy: 'NeverVerifyAllowlistedImages', allowlist: ['a.example/*'] },
    );
    assert.equal(settings({}, { KubeletEnsureSecretPulledImages: false }).verification, undefined);
  });

  it('looks for node credentials where upstream does, the root directory first', () => {
    assert.equal(settings({}).dockerConfigDirectories?.json[0], '/var/lib/kubelet');
  });
});
