/** What the configuration says about images, as the agent wants it. */
import type { ImageSettings } from '../../agent/image/assemble-images.ts';
import { toDockerConfigDirectories } from '../../agent/image/node-docker-config.ts';
import type { VerificationPolicy } from '../../core/image/decide-image-access.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';

export interface ImageHost {
  readonly rootDir: string;
  readonly workingDirectory: string;
  readonly home: string;
}

/** The policy was checked with the configuration; it is absent while its gate is off. */
export function toImageSettings(
  { config, features }: Pick<LoadedConfiguration, 'config' | 'features'>,
  { rootDir, workingDirectory, home }: ImageHost,
): ImageSettings {
  const policy = config.imagePullCredentialsVerificationPolicy as VerificationPolicy | undefined;
  const verification = {
    policy: policy ?? 'NeverVerifyPreloadedImages',
    allowlist: config.preloadedImagesVerificationAllowlist,
  };
  return {
    maxParallelPulls: config.serializeImagePulls
      ? 1
      : (config.maxParallelImagePulls ?? Number.POSITIVE_INFINITY),
    pullsPerSecond: config.registryPullQPS,
    burst: config.registryBurst,
    dockerConfigDirectories: toDockerConfigDirectories(rootDir, workingDirectory, home),
    ...(features.enabled('KubeletEnsureSecretPulledImages') ? { verification } : {}),
  };
}
