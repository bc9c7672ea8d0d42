/**
 * The file systems of the machine itself: on its disks by their device, and in
 * memory by their mount point. Those of pods and containers are not the
 * machine's, and those of servers may not answer.
 */
import type { DiskDetails, FileSystemDetails } from '../../../core/stats/cgroup-details.ts';
import { parseMountinfo } from '../mountinfo.ts';
import { statfs } from '../storage/storage-fs.ts';
import { mayHang } from '../storage/storage-mounts.ts';

export interface MountSources {
  /** The text of `/proc/self/mountinfo`. */
  readonly mounts: string;
  readonly podPlaces: readonly string[];
}

/** Where a file system is mounted. */
export interface Place {
  readonly device: string;
  readonly path: string;
  readonly numbers: string;
}

/** A machine has fewer. */
const MAX_FILE_SYSTEMS = 64;

/** `disks` by `major:minor`. What cannot be asked is left out; a disk that does not answer delays the others by no more than its time limit. */
export async function readFileSystems(
  places: readonly Place[],
  disks: ReadonlyMap<string, DiskDetails>,
): Promise<FileSystemDetails[]> {
  const found = await Promise.all(places.map((place) => readOne(place, disks)));
  return found.filter((details) => details !== undefined);
}

async function readOne(
  { device, path, numbers }: Place,
  disks: ReadonlyMap<string, DiskDetails>,
): Promise<FileSystemDetails | undefined> {
  const usage = await statfs(path).catch(() => undefined);
  if (usage === undefined || usage.blocks === 0) return undefined;
  return {
    device,
    capacityBytes: usage.blocks * usage.bsize,
    usedBytes: (usage.blocks - usage.bfree) * usage.bsize,
    inodes: usage.files,
    inodesFree: usage.ffree,
    disk: disks.get(numbers),
  };
}

/** The first mount of each device. */
export function findPlaces({ mounts, podPlaces }: MountSources): Place[] {
  const byDevice = new Map<string, Place>();
  for (const { path, fsType, source, device: numbers } of parseMountinfo(mounts)) {
    const device = fsType === 'tmpfs' ? path : source;
    const isDisk = source.startsWith('/dev/') && fsType !== 'devtmpfs' && !mayHang(fsType);
    if ((fsType !== 'tmpfs' && !isDisk) || byDevice.has(device) || isOfPod(path, podPlaces)) continue;
    if (byDevice.size < MAX_FILE_SYSTEMS) byDevice.set(device, { device, path, numbers });
  }
  return [...byDevice.values()];
}

/** Also what runtimes mount for sandboxes and kubelets for pods, wherever they keep it. */
function isOfPod(path: string, podPlaces: readonly string[]): boolean {
  return podPlaces.some((place) => path.startsWith(`${place}/`)) || /\/(sandboxes|pods)\/[^/]+\//.test(path);
}
