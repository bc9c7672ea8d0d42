/**
 * Removing a tree that a container could write. Every step goes through the
 * open directory it happens in (`/proc/self/fd/<n>/<name>`), so a directory
 * that is swapped for a link in the middle of it leads nowhere else.
 *
 * Memory and open files do not grow with the tree: entries are read a few at a
 * time, and below a depth that no ordinary tree has, directories are moved up
 * before they are removed, each of them once.
 *
 * Invariants: no link is followed below the parent of `path`; nothing on
 * another mount is touched, neither one there before nor one that appears
 * meanwhile; what vanishes by itself counts as removed.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import { hasErrno } from '../host-error.ts';
import { listMountsBelow, readMountTable } from '../mountinfo.ts';
import { open, opendir, readMountId, realpath, rename, rmdir, unlink } from '../storage/storage-fs.ts';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** How often a directory is emptied again while another process still writes into it. */
const EMPTYING_ROUNDS = 5;
/** Deeper directories are lifted to this depth before they are removed. */
const MAX_DEPTH = 32;

interface Position {
  readonly depth: number;
  readonly mountId: string | undefined;
}

/**
 * Removes a file, link or tree; nothing there is success. Rejects, before
 * touching anything, at a mount in `readMounts`, and when it meets another.
 */
export async function removeTree(path: string, readMounts = readMountTable): Promise<void> {
  if (await tryRemoveAtOnce(Buffer.from(path))) return;
  let parent: string;
  try {
    parent = await realpath(dirname(path));
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return;
    throw error;
  }
  const place = join(parent, basename(path));
  // Whole device numbers would not do: a bind mount has the device of its source.
  const [mount] = listMountsBelow(await readMounts(), place);
  if (mount !== undefined) throw refuseMount(path, mount);
  await removeEntry(Buffer.from(place), path, { depth: 0, mountId: undefined });
}

/** `shown` is the path for people; `tree` says where we are, its mount unknown at the top. */
async function removeEntry(place: Buffer, shown: string, { depth, mountId }: Position): Promise<void> {
  const directory = await openDirectory(place);
  if (directory === 'gone') return;
  if (directory === 'not-a-directory') return ignoreGone(unlink(place));
  try {
    const ownMountId = readMountId(directory);
    if (mountId !== undefined && ownMountId !== mountId) throw refuseMount(shown, shown);
    await emptyAndRemove(directory, place, shown, { depth, mountId: ownMountId });
  } finally {
    await directory.close();
  }
}

async function emptyAndRemove(
  directory: FileHandle,
  place: Buffer,
  shown: string,
  position: Position,
): Promise<void> {
  for (let round = 1; ; round++) {
    if (position.depth < MAX_DEPTH) await empty(directory, shown, position);
    else await emptyFlat(directory, shown, position);
    try {
      return await ignoreGone(rmdir(place));
    } catch (error) {
      if (round >= EMPTYING_ROUNDS || !hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    }
  }
}

async function empty(directory: FileHandle, shown: string, position: Position): Promise<void> {
  const below = { ...position, depth: position.depth + 1 };
  for await (const { name, isDirectory } of readEntries(directory)) {
    const entry = inside(directory, name);
    if (isDirectory ? await tryRmdir(entry) : await tryUnlink(entry)) continue;
    await removeEntry(entry, `${shown}/${name}`, below);
  }
}

/** Every directory below is lifted into this one, under a name that nothing has, and emptied there. */
async function emptyFlat(directory: FileHandle, shown: string, position: Position): Promise<void> {
  const prefix = `.lifted-${randomBytes(6).toString('hex')}-`;
  let lifted = 0;
  const lift = async (entry: Buffer, shownEntry: string): Promise<void> => {
    const target = inside(directory, Buffer.from(`${prefix}${lifted++}`));
    await ignoreGone(rename(entry, target)).catch((error: unknown) => {
      throw hasErrno(error, 'EBUSY', 'EXDEV') ? refuseMount(shownEntry, shownEntry) : error;
    });
  };
  for await (const { name, isDirectory } of readEntries(directory)) {
    const entry = inside(directory, name);
    if (!isDirectory && (await tryUnlink(entry))) continue;
    await removeFlat(entry, `${shown}/${name}`, position, lift);
  }
  for (let next = 0; next < lifted; next++) {
    const name = `${prefix}${next}`;
    await removeFlat(inside(directory, Buffer.from(name)), `${shown}/${name}`, position, lift);
  }
}

async function removeFlat(
  place: Buffer,
  shown: string,
  { mountId }: Position,
  lift: (entry: Buffer, shown: string) => Promise<void>,
): Promise<void> {
  const directory = await openDirectory(place);
  if (directory === 'gone') return;
  if (directory === 'not-a-directory') return ignoreGone(unlink(place));
  try {
    if (readMountId(directory) !== mountId) throw refuseMount(shown, shown);
    for await (const { name, isDirectory } of readEntries(directory)) {
      const entry = inside(directory, name);
      if (isDirectory || !(await tryUnlink(entry))) await lift(entry, `${shown}/${name}`);
    }
  } finally {
    await directory.close();
  }
  // Not empty when something is still written into it: the next round meets it again.
  await ignoreGone(rmdir(place)).catch((error: unknown) => {
    if (!hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  });
}

interface Entry {
  /** As bytes: a container may choose names that are not text. */
  readonly name: Buffer;
  /** Also where the file system does not say. */
  readonly isDirectory: boolean;
}

/** A few at a time, however many there are. */
async function* readEntries(directory: FileHandle): AsyncGenerator<Entry> {
  const stream = await opendir(`/proc/self/fd/${directory.fd}/`, { encoding: 'buffer' as BufferEncoding });
  for await (const entry of stream) {
    const isOther =
      entry.isFile() ||
      entry.isSymbolicLink() ||
      entry.isFIFO() ||
      entry.isSocket() ||
      entry.isBlockDevice() ||
      entry.isCharacterDevice();
    yield { name: entry.name as unknown as Buffer, isDirectory: !isOther };
  }
}

function inside(directory: FileHandle, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory.fd}/`), name]);
}

/** A file or link, or nothing. False for a directory, and for what is a mount: the kernel removes none. */
async function tryRemoveAtOnce(place: Buffer): Promise<boolean> {
  try {
    return await tryUnlink(place);
  } catch (error) {
    if (hasErrno(error, 'EBUSY')) return false;
    throw error;
  }
}

/** An empty directory, in one call. False when it is not empty, or anything else than that. */
async function tryRmdir(place: Buffer): Promise<boolean> {
  try {
    await rmdir(place);
    return true;
  } catch (error) {
    if (error instanceof AgentError) throw error;
    return false;
  }
}

/** False when it has become a directory meanwhile. */
async function tryUnlink(place: Buffer): Promise<boolean> {
  try {
    await ignoreGone(unlink(place));
    return true;
  } catch (error) {
    if (hasErrno(error, 'EISDIR', 'EPERM')) return false;
    throw error;
  }
}

async function openDirectory(place: Buffer): Promise<FileHandle | 'gone' | 'not-a-directory'> {
  try {
    return await open(place, DIRECTORY);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return 'gone';
    if (hasErrno(error, 'ENOTDIR', 'ELOOP')) return 'not-a-directory';
    throw error;
  }
}

async function ignoreGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!hasErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
}

function refuseMount(path: string, mount: string): AgentError {
  return new AgentError(
    'failed-precondition',
    `cannot remove ${JSON.stringify(path)}: something is mounted at ${JSON.stringify(mount)}`,
    // The mount must be unmounted first; then the removal works.
    { retryable: true },
  );
}
