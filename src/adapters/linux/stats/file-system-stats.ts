/**
 * The port FileSystemStats on statfs(2) and lstat(2). Files below the given
 * roots are looked at without the thread pool when their disk is this
 * machine's: names and sizes of logs that are being written are in the kernel's
 * memory. On a file system that may wait for a server it is done through it.
 */
import { type Dirent, lstatSync, opendirSync, type Stats } from 'node:fs';
import { abortable } from '../../../base/async/abortable.ts';
import type { Clock } from '../../../base/async/clock.ts';
import type { FileSystemSample, FilesSample } from '../../../core/stats/samples.ts';
import type { FileSystemStats } from '../../../ports/host/stats-reader.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { readFileSystemType, readFileSystemUsage } from '../machine/file-system-usage.ts';
import { lstat, opendir, stat } from '../storage/storage-fs.ts';
import { mayHang } from '../storage/storage-mounts.ts';

const BLOCK_BYTES = 512;
/** Nothing that writes logs makes as many files. */
const MAX_FILES = 10_000;
const NOTHING: FilesSample = { usedBytes: 0, inodesUsed: 0 };

interface Place {
  readonly isRemote: boolean;
  readonly device: string;
}

export class LinuxFileSystemStats implements FileSystemStats {
  readonly #clock: Clock;
  readonly #roots: readonly string[];
  /** By path: what is mounted there does not change while the agent runs. */
  readonly #places = new Map<string, Place>();

  /** `roots` are directories that no container can put anything else at. */
  constructor(clock: Clock, roots: readonly string[]) {
    this.#clock = clock;
    this.#roots = roots;
  }

  async readFileSystem(path: string, signal: AbortSignal): Promise<FileSystemSample> {
    const { device } = await this.#placeOf(path);
    const usage = await abortable(readFileSystemUsage(path), signal);
    const { capacityBytes, availableBytes, usedBytes, inodes, inodesFree } = usage;
    const atMs = this.#clock.now();
    return { atMs, device, capacityBytes, availableBytes, usedBytes, inodes, inodesFree };
  }

  async measureFilesIn(directory: string): Promise<FilesSample> {
    try {
      return (await this.#isLocal(directory)) ? sumFilesNow(directory) : await sumFiles(directory);
    } catch (error) {
      if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return NOTHING;
      throw toHostError('measure', directory, error);
    }
  }

  async measureFile(path: string): Promise<FilesSample> {
    try {
      return toSample((await this.#isLocal(path)) ? lstatSync(path) : await lstat(path));
    } catch (error) {
      if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return NOTHING;
      throw toHostError('measure', path, error);
    }
  }

  async #isLocal(path: string): Promise<boolean> {
    const root = this.#roots.find((candidate) => path.startsWith(`${candidate}/`));
    return root !== undefined && !(await this.#placeOf(root)).isRemote;
  }

  async #placeOf(path: string): Promise<Place> {
    const known = this.#places.get(path);
    if (known !== undefined) return known;
    const isRemote = mayHang(await readFileSystemType(path));
    const place = { isRemote, device: isRemote ? `remote:${path}` : await readDevice(path) };
    this.#places.set(path, place);
    return place;
  }
}

async function readDevice(path: string): Promise<string> {
  try {
    return String((await stat(path)).dev);
  } catch (error) {
    throw toHostError('measure', path, error);
  }
}

function sumFilesNow(path: string): FilesSample {
  const found: FilesSample[] = [];
  const directory = opendirSync(path);
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync())
      if (isCounted(entry, found)) found.push(toSample(lstatSync(`${path}/${entry.name}`)));
  } finally {
    directory.closeSync();
  }
  return sum(found);
}

async function sumFiles(path: string): Promise<FilesSample> {
  const found: FilesSample[] = [];
  for await (const entry of await opendir(path))
    if (isCounted(entry, found)) found.push(toSample(await lstat(`${path}/${entry.name}`)));
  return sum(found);
}

function isCounted(entry: Dirent, found: readonly FilesSample[]): boolean {
  return entry.isFile() && found.length < MAX_FILES;
}

function toSample(found: Stats): FilesSample {
  return found.isFile() ? { usedBytes: found.blocks * BLOCK_BYTES, inodesUsed: 1 } : NOTHING;
}

function sum(samples: readonly FilesSample[]): FilesSample {
  return samples.reduce(
    (total, { usedBytes, inodesUsed }) => ({
      usedBytes: total.usedBytes + usedBytes,
      inodesUsed: total.inodesUsed + inodesUsed,
    }),
    NOTHING,
  );
}
