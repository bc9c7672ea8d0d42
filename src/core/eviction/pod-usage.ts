/** What a pod uses of the resource behind a signal, as its statistics say. */
import type { Pod } from '../api/pod.ts';
import type { Volume } from '../api/volume.ts';
import type { FsStats, PodStats } from '../stats/summary.ts';
import { type DiskLayout, fileSystemOf } from './disk-layout.ts';
import type { EvictionSignal } from './signals.ts';

type DiskPart = 'rootfs' | 'logs' | 'volumes';

/** Which parts of a pod lie on the file system of a signal. */
const PARTS: Readonly<Record<DiskLayout, Readonly<Record<string, readonly DiskPart[]>>>> = {
  single: {
    nodefs: ['rootfs', 'logs', 'volumes'],
    imagefs: ['rootfs', 'logs', 'volumes'],
    containerfs: ['rootfs', 'logs', 'volumes'],
  },
  dedicated: { nodefs: ['logs', 'volumes'], imagefs: ['rootfs'], containerfs: ['rootfs'] },
  split: {
    nodefs: ['logs', 'volumes', 'rootfs'],
    imagefs: [],
    containerfs: ['logs', 'volumes', 'rootfs'],
  },
};

/** Bytes, inodes or processes, by the signal. */
export function usageOf(pod: Pod, stats: PodStats, signal: EvictionSignal, layout: DiskLayout): number {
  const fileSystem = fileSystemOf(signal);
  if (fileSystem !== undefined) {
    const field = signal.endsWith('inodesFree') ? 'inodesUsed' : 'usedBytes';
    return diskUsage(pod, stats, PARTS[layout][fileSystem] ?? [], field);
  }
  if (signal === 'pid.available') return stats.process_stats?.process_count ?? 0;
  return stats.memory?.workingSetBytes ?? 0;
}

function diskUsage(
  pod: Pod,
  stats: PodStats,
  parts: readonly DiskPart[],
  field: 'usedBytes' | 'inodesUsed',
): number {
  const ofContainers = stats.containers.flatMap(({ rootfs, logs }): (FsStats | undefined)[] => [
    parts.includes('rootfs') ? rootfs : undefined,
    parts.includes('logs') ? logs : undefined,
  ]);
  const local = new Set((pod.spec.volumes ?? []).filter(isLocalVolume).map(({ name }) => name));
  const ofVolumes = parts.includes('volumes')
    ? (stats.volume ?? []).filter(({ name }) => name !== undefined && local.has(name))
    : [];
  return [...ofContainers, ...ofVolumes].reduce((sum, fs) => sum + (fs?.[field] ?? 0), 0);
}

/** Whether the pod has a volume of this name whose content is on the node's own file system. */
export function hasLocalVolume({ spec }: Pod, name: string): boolean {
  return (spec.volumes ?? []).some((volume) => volume.name === name && isLocalVolume(volume));
}

/** Volumes whose content is on the node's own file system. */
function isLocalVolume({ hostPath, emptyDir, configMap, gitRepo }: Volume): boolean {
  return (
    hostPath !== undefined ||
    configMap !== undefined ||
    gitRepo !== undefined ||
    (emptyDir !== undefined && (emptyDir.medium ?? '') === '')
  );
}
