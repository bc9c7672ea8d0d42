/**
 * Asks a storage driver how full a volume is and, where enabled, for its
 * condition. The capabilities of a driver without statistics are read each
 * time: it may be another version after its restart.
 */
import { AgentError } from '../../base/errors.ts';
import { NO_USAGE, type VolumeReading } from '../../core/volume/volume-usage.ts';
import type { VolumeGauge } from '../../ports/storage/volume-driver.ts';
import { type CsiDrivers, notRegistered } from './csi-drivers.ts';

export interface CsiGaugeParts {
  readonly drivers: Pick<CsiDrivers, 'client'>;
  /** Whether the health of volumes is read; default: no. */
  readonly watchesHealth?: boolean;
}

/** `path` is where the pod has the volume, or the file that stands for its device. */
export function createCsiGauge(
  parts: CsiGaugeParts,
  { driver, handle }: { readonly driver: string; readonly handle: string },
  path: string,
): VolumeGauge {
  return { source: driver, read: (signal) => readStats(parts, driver, handle, path, signal) };
}

async function readStats(
  { drivers, watchesHealth = false }: CsiGaugeParts,
  driver: string,
  handle: string,
  path: string,
  signal: AbortSignal,
): Promise<VolumeReading | undefined> {
  const client = drivers.client(driver);
  if (client === undefined) throw new AgentError('unavailable', notRegistered(driver));
  const capabilities = await client.capabilities(signal);
  if (!capabilities.has('volume-stats')) return undefined;
  const { usage, condition } = await client.stats(handle, path, signal);
  const reportsHealth = watchesHealth && capabilities.has('volume-condition');
  if (usage === undefined && !reportsHealth)
    throw new AgentError('unknown', 'failed to get usage from response. usage is nil');
  const reading = { usage: { ...NO_USAGE, ...usage } };
  // A driver that reports health and returns no condition has no problem.
  return reportsHealth ? { ...reading, condition: condition ?? { abnormal: false, message: '' } } : reading;
}
