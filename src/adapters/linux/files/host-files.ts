/**
 * The host's files through Node's file system calls: pod directories, hosts
 * files, logs and termination messages. Maps every failure to an AgentError.
 *
 * Invariants: a file is replaced whole or not at all; nothing a container
 * placed is followed, waited for or crossed (links, pipes, mounts).
 */

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { HostFiles } from '../../../ports/host/host-files.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { isMountedAt, lstat, open, readlink } from '../storage/storage-fs.ts';
import { replaceFile, replaceLink } from './atomic-file.ts';
import { readNames } from './list-names.ts';
import { makeDirectory } from './make-directory.ts';
import { readBounded } from './read-bounded.ts';
import { removeTree } from './remove-tree.ts';
import { watchDirectory } from './watch-directory.ts';

/** Such as resolv.conf, which may be a link of the administrator's. */
const MAX_SMALL_FILE_BYTES = 16 * 1024 * 1024;
/** Without O_NONBLOCK opening a pipe would wait for a writer. */
const TAIL = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class LinuxHostFiles implements HostFiles {
  async makeDirectory(path: string, mode: number): Promise<void> {
    await attempt('create directory', path, makeDirectory(path, mode));
  }

  async writeFile(
    path: string,
    content: string,
    mode: number,
    options?: { readonly isPassing: true },
  ): Promise<void> {
    await attempt('write', path, replaceFile(path, { content, mode, isPassing: options?.isPassing }));
  }

  async readFile(path: string): Promise<string | undefined> {
    const read = readBounded(path, { maxBytes: MAX_SMALL_FILE_BYTES, followsLinks: true });
    return (await attempt('read', path, unlessAbsent(read, undefined)))?.toString('utf8');
  }

  async readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    return attempt('read', path, readRegularTail(path, maxBytes));
  }

  async cutFile(path: string, maxBytes: number): Promise<boolean> {
    return attempt('cut', path, cutRegular(path, maxBytes));
  }

  async listDirectory(path: string): Promise<string[]> {
    const names = await attempt('list', path, unlessAbsent(readNames(path), []));
    return names.toSorted();
  }

  watchDirectory(path: string, onChange: () => void): Disposable | 'missing' | undefined {
    try {
      return watchDirectory(path, { onEvent: onChange, onEnd: onChange });
    } catch (error) {
      return hasErrno(error, 'ENOENT') ? 'missing' : undefined;
    }
  }

  async removeTree(path: string): Promise<void> {
    await attempt('remove', path, removeTree(path));
  }

  async linkTo(target: string, path: string): Promise<void> {
    await attempt('link', path, replaceLink(path, target));
  }

  async readLink(path: string): Promise<string | undefined> {
    try {
      return await readlink(path);
    } catch (error) {
      if (hasErrno(error, 'ENOENT', 'EINVAL')) return undefined;
      throw toHostError('read link', path, error);
    }
  }

  /** A link counts as existing, wherever it leads; so does a mount, whether or not its server answers. */
  async exists(path: string): Promise<boolean> {
    if (await isMountedAt(path)) return true;
    const found = await attempt('look at', path, unlessAbsent(lstat(path), undefined));
    return found !== undefined;
  }
}

async function attempt<T>(action: string, path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toHostError(action, path, error);
  }
}

async function unlessAbsent<T, A>(work: Promise<T>, absent: A): Promise<T | A> {
  try {
    return await work;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return absent;
    throw error;
  }
}

/** In place: containers have the file itself mounted. */
async function cutRegular(path: string, maxBytes: number): Promise<boolean> {
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const known = await lstat(path);
    if (!known.isFile() || known.size <= maxBytes) return false;
    await using handle = await open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    const facts = await handle.stat();
    if (!facts.isFile() || facts.size <= maxBytes) return false;
    await handle.truncate(maxBytes);
    return true;
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ELOOP', 'ENXIO')) return false;
    throw error;
  }
}

async function readRegularTail(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  let handle: FileHandle;
  try {
    const seen = await lstat(path);
    if (!seen.isFile()) return undefined;
    // As most containers leave it: it need not be opened.
    if (seen.size === 0) return new Uint8Array();
    handle = await open(path, TAIL);
  } catch (error) {
    // ELOOP is a link, ENXIO a socket: neither is a regular file.
    if (hasErrno(error, 'ENOENT', 'ELOOP', 'ENXIO')) return undefined;
    throw error;
  }
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) return undefined;
    return await readFrom(handle, Math.max(0, facts.size - maxBytes), Math.min(facts.size, maxBytes));
  } finally {
    await handle.close();
  }
}

/** `length` bytes, or fewer when the file has become shorter. */
async function readFrom(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
