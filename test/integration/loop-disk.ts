/** A small file system of its own in a file, so that a test can fill a disk without touching the host's. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unmountBelow } from '../../scripts/demo/unmount-below.ts';

const run = promisify(execFile);

export interface LoopDisk extends AsyncDisposable {
  /** Where it is mounted. */
  readonly path: string;
}

export interface LoopDiskOptions {
  readonly bytes: number;
  /** Few of them, where a test uses them up. */
  readonly inodes?: number;
  /** Where to mount it; a temporary directory unless given. */
  readonly path?: string;
}

/** ext4 without blocks that are root's: the kubelet and its pods see the same disk as full. */
export async function makeLoopDisk({ bytes, inodes, path }: LoopDiskOptions): Promise<LoopDisk> {
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-disk-'));
  const place = path ?? join(directory, 'mounted');
  const image = join(directory, 'image');
  {
    await using file = await open(image, 'wx');
    await file.truncate(bytes);
  }
  const count = inodes === undefined ? [] : ['-N', String(inodes)];
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', '-O', '^has_journal', ...count, image]);
  await mkdir(place, { recursive: true });
  await run('mount', ['-o', 'loop', image, place]);
  return {
    path: place,
    [Symbol.asyncDispose]: async () => {
      await unmountBelow(place);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** To the last block, as files of no pod in the directory `filler`; may be repeated. */
export async function fillDisk(path: string): Promise<void> {
  const directory = join(path, 'filler');
  await mkdir(directory, { recursive: true });
  await using file = await open(join(directory, 'large'), 'a');
  for (const bytes of [1024 * 1024, 4096]) {
    const block = Buffer.alloc(bytes, 1);
    await untilFull(() => file.write(block));
  }
  // What is too little for a large file to go on may do for a small one.
  await untilFull(() => mkdtemp(join(directory, 'small-')));
}

async function untilFull(write: () => Promise<unknown>): Promise<void> {
  try {
    for (;;) await write();
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  }
}
