/** Gauges of volumes that the kernel knows: mounted file systems, block devices, and directories. */
import { abortable } from '../../../base/async/abortable.ts';
import type { FilesSample } from '../../../core/stats/samples.ts';
import { NO_USAGE, type VolumeUsage } from '../../../core/volume/volume-usage.ts';
import type { VolumeGauge } from '../../../ports/storage/volume-driver.ts';
import { readDeviceBytes, readFileSystemUsage } from '../../linux/machine/file-system-usage.ts';
import type { TreeMeter } from '../../linux/stats/tree-meter.ts';
import { readlink } from '../../linux/storage/storage-fs.ts';
import type { ProjectQuotas } from './project-quotas.ts';

/** Of the file system that is mounted at `path`. */
export function createFileSystemGauge(path: string): VolumeGauge {
  return {
    source: 'statfs',
    read: async (signal) => ({ usage: await abortable(readFileSystemUsage(path), signal) }),
  };
}

/** Of a directory that containers write to, on a file system that it shares with others: what is in it is counted. */
export function createTreeGauge(path: string, trees: TreeMeter): VolumeGauge {
  return {
    source: 'du',
    read: async (signal) => ({ usage: await readTree(path, await trees.measure(path, signal)) }),
  };
}

/** The same where the kernel counts it; file by file while it does not. */
export function createQuotaGauge(
  path: string,
  quotas: Pick<ProjectQuotas, 'read'>,
  trees: TreeMeter,
): VolumeGauge {
  return {
    source: 'fsquota',
    read: async (signal) => {
      const counted = await quotas.read(path, signal).catch(() => undefined);
      return { usage: await readTree(path, counted ?? (await trees.measure(path, signal))) };
    },
  };
}

/**
 * Of a file system in memory that is one volume and nothing else: the kernel has counted the same that
 * a walk through its files finds.
 */
export function createMemoryGauge(path: string): VolumeGauge {
  return { ...createFileSystemGauge(path), source: 'du' };
}

/**
 * Of a directory that the agent alone writes to, a version at a time: each
 * version is counted once. Nothing can be mounted inside.
 */
export function createContentGauge(path: string, trees: TreeMeter): VolumeGauge {
  const readMounts = async (): Promise<string> => '';
  let known: { readonly version: string; readonly usage: VolumeUsage } | undefined;
  return {
    source: 'du',
    read: async (signal) => {
      const version = await readlink(`${path}/..data`).catch(() => '');
      if (known?.version !== version)
        known = { version, usage: await readTree(path, await trees.measure(path, signal, { readMounts })) };
      return { usage: known.usage };
    },
  };
}

async function readTree(path: string, { usedBytes, inodesUsed }: FilesSample): Promise<VolumeUsage> {
  return { ...(await readFileSystemUsage(path)), usedBytes, inodesUsed };
}

/** Of the block device at `path`: what is used of it only its user knows. */
export function createDeviceGauge(path: string): VolumeGauge {
  return {
    source: 'block',
    read: async () => ({ usage: { ...NO_USAGE, capacityBytes: await readDeviceBytes(path) } }),
  };
}
