/**
 * Replacing a file or link so that a reader sees the old or the new one,
 * never half: the new one is made beside it under a temporary name and
 * renamed over. Shared by the host files and the checkpoints.
 *
 * Invariant: nothing is left beside the file when a step fails; what an
 * ended process left begins with `.tmp-`.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasErrno } from '../host-error.ts';
import { open, rename, symlink, unlink } from '../storage/storage-fs.ts';
import { umaskKeeps } from '../umask.ts';

export interface AtomicFile {
  readonly content: string | Uint8Array;
  /** Exactly this mode, whatever the umask. */
  readonly mode: number;
  /** Also survive a power cut with the new name in place, not only with whole content. */
  readonly syncDirectory?: boolean;
  /** Need not survive a power cut at all. */
  readonly isPassing?: boolean | undefined;
}

/** Writes and renames; a symbolic link at `path` is replaced, not followed. Rejects with the system's error. */
export async function replaceFile(path: string, file: AtomicFile): Promise<void> {
  await replace(path, async (temporary) => {
    // O_EXCL also refuses a link that another process placed under this name.
    const hasMode = umaskKeeps(file.mode);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const handle = await open(temporary, flags, hasMode ? file.mode : 0o600);
    try {
      if (!hasMode) await handle.chmod(file.mode);
      if (file.content.length > 0) await handle.writeFile(file.content);
      if (!file.isPassing) await handle.sync();
    } finally {
      await handle.close();
    }
  });
  if (file.syncDirectory) await syncDirectory(dirname(path));
}

/** Makes `path` a symbolic link to `target`. Rejects with the system's error, also when `path` is a directory. */
export async function replaceLink(path: string, target: string): Promise<void> {
  try {
    // Whole from its first moment: only one that replaces something needs another name first.
    await symlink(target, path);
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
    await replace(path, (temporary) => symlink(target, temporary));
  }
}

async function replace(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
  // Not made of the file's own name: that may already be as long as a name can be.
  const temporary = join(dirname(path), `.tmp-${randomBytes(8).toString('hex')}`);
  try {
    await make(temporary);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
