/** File systems, and what containers and pods use of them, as the summary shows them. */
import type { FileSystemSample, FilesSample, WritableLayer } from './samples.ts';
import { toStatsTime } from './stats-time.ts';
import type { FsStats } from './summary.ts';

type Space = Pick<FsStats, 'availableBytes' | 'capacityBytes' | 'inodesFree' | 'inodes'>;

/** The file system as a whole. */
export function toNodeFs(fs: FileSystemSample): FsStats {
  const inodesUsed = fs.inodes - fs.inodesFree;
  return { time: toStatsTime(fs.atMs), ...toSpace(fs), usedBytes: fs.usedBytes, inodesUsed };
}

/** What the runtime counts as used, of images or of a writable layer, with the space of its file system. */
export function toRuntimeFs(layer: WritableLayer, fs: FileSystemSample | undefined): FsStats {
  const { atMs, usedBytes, inodesUsed } = layer;
  return { time: toStatsTime(atMs), ...(fs && toSpace(fs)), usedBytes, inodesUsed };
}

export function toLogs(files: FilesSample, fs: FileSystemSample): FsStats {
  return { time: toStatsTime(fs.atMs), ...toSpace(fs), ...files };
}

/** Of all that a pod keeps on the node. */
export function toEphemeralStorage(
  fs: FileSystemSample,
  parts: readonly (Pick<FsStats, 'usedBytes' | 'inodesUsed'> | undefined)[],
): FsStats {
  const sum = (field: 'usedBytes' | 'inodesUsed'): number =>
    parts.reduce((total, part) => total + (part?.[field] ?? 0), 0);
  const [usedBytes, inodesUsed] = [sum('usedBytes'), sum('inodesUsed')];
  return { time: toStatsTime(fs.atMs), ...toSpace(fs), usedBytes, inodesUsed };
}

function toSpace({ availableBytes, capacityBytes, inodesFree, inodes }: FileSystemSample): Space {
  return { availableBytes, capacityBytes, inodesFree, inodes };
}
