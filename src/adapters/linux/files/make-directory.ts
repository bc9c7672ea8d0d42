/**
 * Creating directories with an exact mode, missing parents included. An
 * existing directory is left as it is.
 */
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { hasErrno } from '../host-error.ts';
import { isDirectoryNow, mkdir, open, stat } from '../storage/storage-fs.ts';
import { umaskKeeps } from '../umask.ts';

/**
 * A parent may be taken away again at once; but some file systems, such as proc,
 * have no place for a new name although the parent is there.
 */
const TRIES = 3;

/** Each step of a pod's start makes sure of the same few, so that most were there a moment ago. The oldest first. */
const seen = new Set<string>();
/** As many as a hundred pods have. */
const MAX_SEEN = 1_000;

/**
 * True when it was made, false when it was there. Rejects with the system's error, also when something else has
 * that name.
 */
export async function makeDirectory(path: string, mode: number): Promise<boolean> {
  if (seen.has(path)) {
    if (await isDirectoryNow(path)) return false;
    seen.delete(path);
  }
  const isNew = await make(path, mode, TRIES);
  for (const oldest of seen) {
    if (seen.size < MAX_SEEN) break;
    seen.delete(oldest);
  }
  seen.add(path);
  return isNew;
}

async function make(path: string, mode: number, tries: number): Promise<boolean> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (hasErrno(error, 'EEXIST') && (await stat(path)).isDirectory()) return false;
    if (tries === 1 || !hasErrno(error, 'ENOENT') || dirname(path) === path) throw error;
    await make(dirname(path), mode, TRIES);
    return make(path, mode, tries - 1);
  }
  if (!umaskKeeps(mode)) await setMode(path, mode);
  return true;
}

/** The umask has taken bits away; through the open directory, so that a link in its place is refused. */
async function setMode(path: string, mode: number): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}
