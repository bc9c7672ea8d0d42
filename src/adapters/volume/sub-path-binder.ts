/**
 * Binds a part of a volume to a place of its own. A container that shares the
 * volume can change it at any moment, so: names are resolved once, the result
 * must lie inside the volume, and then it is opened name by name without
 * following links. What was opened is what gets mounted; a link that appears
 * after the look leads to a refusal or has no effect.
 */

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { PreparedSubPath } from '../../core/spec/mounts.ts';
import type { Mounter } from '../../ports/host/mounter.ts';
import type { SubPathBinder, SubPathRequest } from '../../ports/storage/volume-driver.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { readWhole } from '../linux/files/read-bounded.ts';
import { hasErrno } from '../linux/host-error.ts';
import { mkdir, open, realpath, rmdir, stat, unlink } from '../linux/storage/storage-fs.ts';
import { inside, itself, openAnything, openDirectory } from './place/directory-descriptors.ts';

export interface LinuxSubPathBinderParts {
  readonly mounter: Mounter;
  readonly logger: Logger;
}

const PERMISSIONS = 0o7777;

export class LinuxSubPathBinder implements SubPathBinder {
  readonly #mounter: Mounter;
  readonly #logger: Logger;

  constructor({ mounter, logger }: LinuxSubPathBinderParts) {
    this.#mounter = mounter;
    this.#logger = logger;
  }

  async bind(request: SubPathRequest): Promise<PreparedSubPath> {
    const { volumePath, path, target, signal } = request;
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    let failed: 'create' | 'prepare' = 'create';
    try {
      if (names.includes('..')) throw new AgentError('invalid-argument', `must not contain '..'`);
      const root = await realpath(volumePath);
      await makeMissing(root, names);
      failed = 'prepare';
      const place = await realpath(join(root, ...names));
      await using opened = await openResolved(root, place);
      await this.#bindTo(opened, target, signal);
      return { hostPath: target };
    } catch (error) {
      if (signal.aborted) throw error;
      // The user sees only that it failed: paths of the node are not shown to pods.
      const fields = { volume: volumePath, subPath: path, step: failed, err: errorText(error) };
      this.#logger.warn('cannot prepare a part of a volume', fields);
      return { failed };
    }
  }

  async readFile(volumePath: string, path: string, maxBytes: number): Promise<string | undefined> {
    try {
      const root = await realpath(volumePath);
      await using found = await openResolved(root, await realpath(join(root, path)));
      if (!(await found.stat()).isFile()) return undefined;
      // The same file, opened for reading: it may grow meanwhile, but cannot be another one.
      await using file = await open(itself(found), constants.O_RDONLY | constants.O_NONBLOCK);
      return (await readWhole(file, maxBytes))?.toString('utf8');
    } catch (error) {
      const fields = { volume: volumePath, subPath: path, err: errorText(error) };
      this.#logger.warn('cannot read a file of a volume', fields);
      return undefined;
    }
  }

  /** The target is made before the mount: it is the record of what a later agent has to undo. */
  async #bindTo(opened: FileHandle, target: string, signal: AbortSignal): Promise<void> {
    const wanted = await opened.stat();
    if ((await this.#mounter.mountsBelow(target)).includes(target)) {
      const mounted = await stat(target);
      if (mounted.dev === wanted.dev && mounted.ino === wanted.ino) return;
      await this.#mounter.unmount(target, signal);
    }
    await makeDirectory(dirname(target), 0o750);
    await makeTarget(target, wanted.isDirectory());
    await this.#mounter.bind(opened.fd, target, signal);
  }
}

/** Makes missing directories inside the volume, each with the mode of its root. */
async function makeMissing(root: string, names: readonly string[]): Promise<void> {
  const known = await findExisting(root, names);
  if (known.count === names.length) return;
  const { mode } = await stat(root);
  let directory = await openResolved(root, known.place);
  try {
    for (const name of names.slice(known.count)) {
      const next = await makeInside(directory, name, mode & PERMISSIONS);
      await directory.close();
      directory = next;
    }
  } finally {
    await directory.close();
  }
}

async function makeInside(directory: FileHandle, name: string, mode: number): Promise<FileHandle> {
  try {
    await mkdir(inside(directory, name), mode);
  } catch (error) {
    // Another container may have been faster; a link of that name is refused below.
    if (!hasErrno(error, 'EEXIST')) throw error;
    return openDirectory(inside(directory, name));
  }
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const made = await open(inside(directory, name), flags);
  try {
    await made.chmod(mode);
    return made;
  } catch (error) {
    await made.close();
    throw error;
  }
}

/** How many of the names exist, and where that leads with every link resolved. */
async function findExisting(
  root: string,
  names: readonly string[],
): Promise<{ readonly count: number; readonly place: string }> {
  for (let count = names.length; count > 0; count--) {
    try {
      return { count, place: await realpath(join(root, ...names.slice(0, count))) };
    } catch (error) {
      if (!hasErrno(error, 'ENOENT')) throw error;
    }
  }
  return { count: 0, place: root };
}

/** Opens `place`, which has no links any more, from the root of the volume down. */
async function openResolved(root: string, place: string): Promise<FileHandle> {
  if (place !== root && !place.startsWith(root === '/' ? '/' : `${root}/`))
    throw new AgentError('permission-denied', `subpath "${place}" not within volume path "${root}"`);
  const names = place
    .slice(root.length)
    .split('/')
    .filter((name) => name !== '');
  let handle = await openAnything(root);
  for (const [index, name] of names.entries()) {
    try {
      const isLast = index === names.length - 1;
      const next = await (isLast ? openAnything : openDirectory)(inside(handle, name));
      await handle.close();
      handle = next;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
  if ((await handle.stat()).isSymbolicLink()) {
    await handle.close();
    throw new AgentError('permission-denied', `unexpected symlink found ${place}`);
  }
  return handle;
}

/** A directory or an empty file, like what is bound on it. */
async function makeTarget(target: string, isDirectory: boolean): Promise<void> {
  if (isDirectory) {
    await unlink(target).catch(() => {});
    return void (await makeDirectory(target, 0o750));
  }
  await rmdir(target).catch(() => {});
  const handle = await open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o640);
  await handle.close();
}
