/**
 * Creating directories with an exact mode, missing parents included. An
 * existing directory is left as it is.
 */
import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrno } from './host-error.ts';

/** Rejects with the system's error, also when something else has that name. */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (hasErrno(error, 'EEXIST') && (await stat(path)).isDirectory()) return;
    if (!hasErrno(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeDirectory(dirname(path), mode);
    return makeDirectory(path, mode);
  }
  await setMode(path, mode);
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
