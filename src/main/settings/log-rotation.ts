/** What the configuration says about the size of container logs. */
import { parseQuantity, quantityToBytes } from '../../core/api/quantity.ts';
import type { LogRotationPolicy } from '../../core/collection/log-rotation.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';

/** Undefined where a negative size turns rotation off. The values were checked with the configuration. */
export function toLogRotation({
  config,
}: Pick<LoadedConfiguration, 'config'>): LogRotationPolicy | undefined {
  const maxBytes = quantityToBytes(parseQuantity(config.containerLogMaxSize));
  if (maxBytes < 0) return undefined;
  return {
    maxBytes,
    maxFiles: config.containerLogMaxFiles,
    maxWorkers: config.containerLogMaxWorkers,
    monitorIntervalMs: durationMs(config.containerLogMonitorInterval),
  };
}
