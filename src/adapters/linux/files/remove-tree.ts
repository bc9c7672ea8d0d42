/**
 * Removing a tree that a container could write. Every step goes through the
 * open directory it happens in (`/proc/self/fd/<n>/<name>`), so a directory
 * that is swapped for a link in the middle of it leads nowhere else.
 *
 * Invariants: no link is followed below the parent of `path`; nothing on
 * another mount is touched, neither one there before nor one that appears
 * meanwhile; what vanishes by itself counts as removed.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, realpath, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import { hasErrno } from '../host-error.ts';
import { findMountsBelow, parseMountinfo } from '../mount/mountinfo.ts';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** How often a directory is emptied anew when somebody still writes into it. */
const EMPTYING_ROUNDS = 5;

/**
 * Removes a file, link or tree; nothing there is success. Rejects, before
 * touching anything, at a mount in `readMounts`, and when it meets another.
 */
export async function removeTree(path: string, readMounts = readMountTable): Promise<void> {
  let parent: string;
  try {
    parent = await realpath(dirname(path));
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return;
    throw error;
  }
  const place = join(parent, basename(path));
  // Whole device numbers would not do: a bind mount has the device of its source.
  const [mount] = findMountsBelow(parseMountinfo(await readMounts()), place);
  if (mount !== undefined) throw refuseMount(path, mount);
  await removeEntry(Buffer.from(place), path, undefined);
}

function readMountTable(): Promise<string> {
  return readFile('/proc/self/mountinfo', 'utf8');
}

/** `shown` is the path for people; `mountId` that of the tree, unknown at its top. */
async function removeEntry(place: Buffer, shown: string, mountId: string | undefined): Promise<void> {
  const directory = await openDirectory(place);
  if (directory === 'gone') return;
  if (directory === 'not-a-directory') return ignoreGone(unlink(place));
  try {
    const ownMountId = await readMountId(directory);
    if (mountId !== undefined && ownMountId !== mountId) throw refuseMount(shown, shown);
    await emptyAndRemove(directory, place, shown, ownMountId);
  } finally {
    await directory.close();
  }
}

async function emptyAndRemove(
  directory: FileHandle,
  place: Buffer,
  shown: string,
  mountId: string,
): Promise<void> {
  const inside = `/proc/self/fd/${directory.fd}/`;
  for (let round = 1; ; round++) {
    // Names as bytes: a container may choose names that are not text.
    for (const name of await readdir(inside, { encoding: 'buffer' }))
      await removeEntry(Buffer.concat([Buffer.from(inside), name]), join(shown, name.toString()), mountId);
    try {
      return await ignoreGone(rmdir(place));
    } catch (error) {
      if (round >= EMPTYING_ROUNDS || !hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    }
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

async function readMountId(directory: FileHandle): Promise<string> {
  const text = await readFile(`/proc/self/fdinfo/${directory.fd}`, 'utf8');
  return /^mnt_id:\s*(\d+)$/m.exec(text)?.[1] ?? 'unknown';
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
    // The mount is somebody's to end, after which the removal works.
    { retryable: true },
  );
}
