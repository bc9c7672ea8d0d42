/**
 * Creating directories with an exact mode, missing parents included. An
 * existing directory is left as it is.
 */
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { hasErrno } from '../host-error.ts';
import { mkdir, open, stat } from '../storage/storage-fs.ts';
import { umaskKeeps } from '../umask.ts';

/**
 * A parent may be taken away again at once; but some file systems, such as proc,
 * have no place for a new name although the parent is there.
 */
const TRIES = 3;

/** Rejects with the system's error, also when something else has that name. */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  return make(path, mode, TRIES);
}

async function make(path: string, mode: number, tries: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (hasErrno(error, 'EEXIST') && (await stat(path)).isDirectory()) return;
    if (tries === 1 || !hasErrno(error, 'ENOENT') || dirname(path) === path) throw error;
    await make(dirname(path), mode, TRIES);
    return make(path, mode, tries - 1);
  }
  if (!umaskKeeps(mode)) await setMode(path, mode);
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
