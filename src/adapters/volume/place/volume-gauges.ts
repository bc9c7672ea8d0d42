/** Gauges of volumes that the kernel knows: mounted file systems and block devices. */
import { NO_USAGE } from '../../../core/volume/volume-usage.ts';
import type { VolumeGauge } from '../../../ports/volume-driver.ts';
import {
  mayHang,
  readDeviceBytes,
  readFileSystemType,
  readFileSystemUsage,
  readRemoteUsage,
} from '../../linux/machine/file-system-usage.ts';

/** Of the file system that is mounted at `path`. */
export function createFileSystemGauge(path: string): VolumeGauge {
  let isRemote: boolean | undefined;
  return {
    source: 'statfs',
    read: async (signal) => {
      isRemote ??= mayHang(await readFileSystemType(path));
      return { usage: isRemote ? await readRemoteUsage(path, signal) : await readFileSystemUsage(path) };
    },
  };
}

/** Of the block device at `path`: what is used of it only its user knows. */
export function createDeviceGauge(path: string): VolumeGauge {
  return {
    source: 'block',
    read: async () => ({ usage: { ...NO_USAGE, capacityBytes: await readDeviceBytes(path) } }),
  };
}
