/** What the configuration says about deleting unused images. */
import type { ImageCollectionPolicy } from '../../core/collection/image-collection.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';

/** The values were checked with the configuration. */
export function toImageCollection({
  config,
  flags,
}: Pick<LoadedConfiguration, 'config' | 'flags'>): ImageCollectionPolicy {
  return {
    highPercent: config.imageGCHighThresholdPercent,
    lowPercent: config.imageGCLowThresholdPercent,
    minAgeMs: durationMs(config.imageMinimumGCAge),
    maxAgeMs: durationMs(config.imageMaximumGCAge),
    collectsUnpullable: flags.collectUnpullableImages,
  };
}
