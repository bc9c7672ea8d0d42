/**
 * Counts what a tree takes on disk, as du(1) does: blocks and inodes on one
 * device, a file with several names once. The tree may be one that a container
 * writes to: every directory is opened through the one it is in
 * (`/proc/self/fd/<n>/<name>`) without following links, and places that
 * something is mounted on are passed over untouched, so a dead file server
 * that a container mounted in there is not waited for.
 *
 * Memory does not grow with the tree: entries are read a few at a time, and of
 * files with several names only so many are remembered; each name of the others
 * counts for its share. Work is done in steps with pauses between them. A tree
 * that is too deep or takes too long is counted as far as that went, which is
 * less than it has.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, sleep } from '../../../base/async/clock.ts';
import type { FilesSample } from '../../../core/stats/samples.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { listMountsBelow, readMountTable } from '../mountinfo.ts';
import { lstat, open, opendir, realpath } from '../storage/storage-fs.ts';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const BLOCK_BYTES = 512;

export interface TreeLimits {
  /** Files with several names that are remembered. */
  readonly maxLinked: number;
  /** A level costs two open files. */
  readonly maxDepth: number;
  /** Entries between two pauses. */
  readonly entriesPerStep: number;
  readonly pauseMs: number;
  readonly maxMs: number;
}

const USUAL_LIMITS: TreeLimits = {
  maxLinked: 10_000,
  maxDepth: 128,
  entriesPerStep: 500,
  pauseMs: 50,
  maxMs: 90_000,
};

export interface TreeSample extends FilesSample {
  /** False when there is more than was counted. */
  readonly isComplete: boolean;
}

export interface TreeOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limits?: Partial<TreeLimits>;
  /** Other mounts for tests. */
  readonly readMounts?: () => Promise<string>;
}

/** A directory that is open. */
interface Level {
  readonly handle: FileHandle;
  /** As the mount table writes it. */
  readonly path: string;
  readonly depth: number;
}

/** Nothing there is nothing used. Rejects with AgentError when the directory itself cannot be read, or `signal` aborts. */
export async function measureTree(path: string, options: TreeOptions): Promise<TreeSample> {
  const walk = new TreeWalk(options);
  try {
    await walk.count(path);
  } catch (error) {
    throw toHostError('measure', path, error);
  }
  return walk.result();
}

class TreeWalk {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #limits: TreeLimits;
  readonly #untilMs: number;
  readonly #linked = new Set<number>();
  readonly #readMounts: () => Promise<string>;
  #blocks = 0;
  #inodes = 0;
  #entries = 0;
  #isComplete = true;
  #device = 0;
  #mounts: ReadonlySet<string> = new Set();

  constructor({ clock, signal, limits, readMounts = readMountTable }: TreeOptions) {
    this.#readMounts = readMounts;
    this.#clock = clock;
    this.#signal = signal;
    this.#limits = { ...USUAL_LIMITS, ...limits };
    this.#untilMs = clock.steady() + this.#limits.maxMs;
  }

  result(): TreeSample {
    return {
      usedBytes: Math.round(this.#blocks * BLOCK_BYTES),
      inodesUsed: Math.round(this.#inodes),
      isComplete: this.#isComplete,
    };
  }

  async count(path: string): Promise<void> {
    const parent = await realpath(dirname(path)).catch(ignoreGone);
    if (parent === undefined) return;
    const place = join(parent, basename(path));
    this.#mounts = findMountsInside(await this.#readMounts(), place);
    const handle = await openDirectory(Buffer.from(place));
    if (handle === undefined) return;
    try {
      const { blocks, dev } = await handle.stat();
      this.#device = dev;
      this.#add(blocks, 1);
      await this.#walk({ handle, path: place, depth: 1 });
    } finally {
      await handle.close();
    }
  }

  async #walk(level: Level): Promise<void> {
    const entries = await opendir(`/proc/self/fd/${level.handle.fd}/`, {
      encoding: 'buffer' as BufferEncoding,
    });
    for await (const entry of entries) {
      if (!(await this.#mayContinue())) return;
      // As bytes: a container may choose names that are not text.
      const name = entry.name as unknown as Buffer;
      const path = `${level.path}/${name.toString()}`;
      if (!this.#mounts.has(path)) await this.#countEntry(inside(level.handle, name), path, level.depth);
    }
  }

  async #countEntry(place: Buffer, path: string, depth: number): Promise<void> {
    const found = await lstat(place).catch(ignoreGone);
    if (found === undefined || found.dev !== this.#device) return;
    if (!found.isDirectory()) {
      const share = found.nlink > 1 ? this.#shareOf(found) : 1;
      return this.#add(found.blocks * share, share);
    }
    this.#add(found.blocks, 1);
    if (depth < this.#limits.maxDepth) await this.#enter(place, path, depth + 1);
    else this.#isComplete = false;
  }

  async #enter(place: Buffer, path: string, depth: number): Promise<void> {
    const handle = await openDirectory(place);
    if (handle === undefined) return;
    try {
      // What was looked at may have been replaced.
      if ((await handle.stat()).dev === this.#device) await this.#walk({ handle, path, depth });
    } finally {
      await handle.close();
    }
  }

  #add(blocks: number, inodes: number): void {
    this.#blocks += blocks;
    this.#inodes += inodes;
  }

  /** How much of a file with several names this name stands for. */
  #shareOf({ ino, nlink }: { readonly ino: number; readonly nlink: number }): number {
    if (this.#linked.has(ino)) return 0;
    if (this.#linked.size >= this.#limits.maxLinked) return 1 / nlink;
    this.#linked.add(ino);
    return 1;
  }

  async #mayContinue(): Promise<boolean> {
    this.#entries++;
    if (this.#entries % this.#limits.entriesPerStep === 0)
      await sleep(this.#clock, this.#limits.pauseMs, this.#signal);
    this.#signal.throwIfAborted();
    if (this.#clock.steady() < this.#untilMs) return true;
    this.#isComplete = false;
    return false;
  }
}

/** Undefined when there is nothing, or no directory. */
async function openDirectory(place: Buffer): Promise<FileHandle | undefined> {
  try {
    return await open(place, DIRECTORY);
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}

function inside(directory: FileHandle, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory.fd}/`), name]);
}

function findMountsInside(table: string, place: string): ReadonlySet<string> {
  return new Set(listMountsBelow(table, place).filter((mount) => mount !== place));
}

function ignoreGone(error: unknown): undefined {
  if (!hasErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
}
