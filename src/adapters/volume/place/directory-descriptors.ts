/**
 * Opening things one name at a time through the directory they are in, so
 * that a name which is swapped for a link in the meantime leads nowhere else.
 * Shared by everything here that works where containers may write.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { O_PATH, open } from '../../linux/storage/storage-fs.ts';

const ANYTHING = O_PATH | constants.O_NOFOLLOW;
const DIRECTORY = ANYTHING | constants.O_DIRECTORY;

/** A name inside an open directory; the kernel resolves it there, whatever the directory is called by now. */
export function inside(directory: FileHandle, name: string): string {
  return `/proc/self/fd/${directory.fd}/${name}`;
}

/** The open thing itself, for calls that take a path. */
export function itself(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

/** Rejects with the system's error: ENOTDIR also for a link. */
export function openDirectory(path: string): Promise<FileHandle> {
  return open(path, DIRECTORY);
}

/** A link is opened as the link it is. */
export function openAnything(path: string | Buffer): Promise<FileHandle> {
  return open(path, ANYTHING);
}
