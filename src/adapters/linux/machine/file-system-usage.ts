/**
 * How full the file system at a place is. A file system on the network may
 * not answer for hours, and the few threads that Node.js has for files would
 * wait with it: such a one is asked by a program of its own, which can be
 * left waiting.
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import { toFileSystemUsage, type VolumeUsage } from '../../../core/volume/volume-usage.ts';
import { toHostError } from '../host-error.ts';
import { findCoveringMount, parseMountinfo } from '../mount/mountinfo.ts';
import { runProgram } from '../program/run-program.ts';
import { realpath, stat, statfs } from '../storage/storage-fs.ts';

const NETWORK = /^(nfs|cifs|smb|ceph|9p|afs|lustre|gpfs|gfs|ocfs|glusterfs|beegfs|fuse|virtiofs|autofs)/;

/** Whether calls into a file system of this type may wait for a server or another process. */
export function mayHang(fsType: string): boolean {
  return NETWORK.test(fsType);
}

/** The type of the file system at `path`, which itself is not looked at. Rejects with AgentError. */
export async function readFileSystemType(path: string): Promise<string> {
  try {
    const real = join(await realpath(dirname(path)), basename(path));
    const mounts = parseMountinfo(await readFile('/proc/self/mountinfo', 'utf8'));
    return findCoveringMount(mounts, real)?.fsType ?? '';
  } catch (error) {
    throw toHostError('look for the mount of', path, error);
  }
}

/** For a file system that answers. Rejects with AgentError. */
export async function readFileSystemUsage(path: string): Promise<VolumeUsage> {
  try {
    return toFileSystemUsage(await statfs(path));
  } catch (error) {
    throw toHostError('measure', path, error);
  }
}

/** For one that may not answer: rejects with AgentError at the latest when `signal` aborts. */
export async function readRemoteUsage(path: string, signal: AbortSignal): Promise<VolumeUsage> {
  // Fundamental block size, blocks: all, free, free for others than root; files: all, free.
  const args = ['-f', '-c', '%S %b %f %a %c %d', path];
  const printed = await runProgram('stat', args, 'measure', path, { signal });
  const numbers = printed.trim().split(' ').map(Number);
  const [bsize = 0, blocks = 0, bfree = 0, bavail = 0, files = 0, ffree = 0] = numbers;
  if (numbers.length !== 6 || numbers.some((number) => !Number.isFinite(number)))
    throw new AgentError('unknown', `cannot measure "${path}": stat printed "${printed.trim()}"`);
  return toFileSystemUsage({ bsize, blocks, bfree, bavail, files, ffree });
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
