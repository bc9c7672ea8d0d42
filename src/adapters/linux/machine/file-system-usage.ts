/** How full the file system at a place is, and how large a disk. */
import { basename, dirname, join } from 'node:path';
import { toFileSystemUsage, type VolumeUsage } from '../../../core/volume/volume-usage.ts';
import { toHostError } from '../host-error.ts';
import { findCoveringMount, parseMountinfo, readMountTable } from '../mountinfo.ts';
import { readFile, realpath, stat, statfs } from '../storage/storage-fs.ts';

/** The type of the file system at `path`, which itself is not looked at. Rejects with AgentError. */
export async function readFileSystemType(path: string): Promise<string> {
  try {
    const real = join(await realpath(dirname(path)), basename(path));
    const mounts = parseMountinfo(await readMountTable());
    return findCoveringMount(mounts, real)?.fsType ?? '';
  } catch (error) {
    throw toHostError('look for the mount of', path, error);
  }
}

/** Rejects with AgentError, also when the file system does not answer in time. */
export async function readFileSystemUsage(path: string): Promise<VolumeUsage> {
  try {
    return toFileSystemUsage(await statfs(path));
  } catch (error) {
    throw toHostError('measure', path, error);
  }
}

/** The size of a block device in bytes, which is not opened for that. Rejects with AgentError. */
export async function readDeviceBytes(path: string, sysDevBlock = '/sys/dev/block'): Promise<number> {
  const sectorBytes = 512;
  try {
    const { rdev } = await stat(path);
    const sectors = await readFile(`${sysDevBlock}/${toMajor(rdev)}:${toMinor(rdev)}/size`, 'utf8');
    return Number(sectors) * sectorBytes;
  } catch (error) {
    throw toHostError('measure', path, error);
  }
}

/** As Linux packs device numbers: 12 bits of the major number above 8 of the minor one, the rest further up. */
function toMajor(rdev: number): number {
  return Number(((BigInt(rdev) >> 8n) & 0xfffn) | ((BigInt(rdev) >> 32n) & 0xfffff000n));
}

function toMinor(rdev: number): number {
  return Number((BigInt(rdev) & 0xffn) | ((BigInt(rdev) >> 12n) & 0xffffff00n));
}
