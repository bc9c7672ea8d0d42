/**
 * Opens a file below a root without following any link on the way: each
 * directory is opened by itself and the next name looked up in it, so that a
 * name replaced in between leads nowhere else.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AgentError } from '../../../base/errors.ts';
import { toHostError } from '../host-error.ts';
import { open } from '../storage/storage-fs.ts';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Without O_NONBLOCK opening a pipe would wait for a writer. */
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Only regular files. Rejects with AgentError: `permission-denied` outside the root or for a link. */
export async function openInside(root: string, path: string): Promise<FileHandle> {
  const handle = await walk(root, path, FILE);
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw new AgentError('failed-precondition', `cannot open ${JSON.stringify(path)}: not a regular file`);
  } catch (error) {
    await handle.close().catch(() => {});
    throw toHostError('open', path, error);
  }
}

/** A directory below the root; `/proc/self/fd/<fd>/<name>` is then a name in exactly this one. Rejects like {@link openInside}. */
export function openDirectoryInside(root: string, path: string): Promise<FileHandle> {
  return walk(root, path, DIRECTORY);
}

async function walk(root: string, path: string, lastFlags: number): Promise<FileHandle> {
  const names = path.startsWith(`${root}/`) ? path.slice(root.length + 1).split('/') : [];
  if (names.length === 0 || names.some((name) => name === '' || name === '.' || name === '..'))
    throw new AgentError('permission-denied', `cannot open ${JSON.stringify(path)}: outside of ${root}`);
  const [first = '', ...rest] = names;
  const flagsAt = (index: number): number => (index === rest.length ? lastFlags : DIRECTORY);
  let handle: FileHandle | undefined;
  try {
    // The root and what leads to it are the administrator's own, links included.
    handle = await open(`${root}/${first}`, flagsAt(0));
    for (const [index, name] of rest.entries()) {
      const next = await open(`/proc/self/fd/${handle.fd}/${name}`, flagsAt(index + 1));
      await handle.close();
      handle = next;
    }
    return handle;
  } catch (error) {
    await handle?.close().catch(() => {});
    throw toHostError('open', path, error);
  }
}
