/**
 * Puts what an archive of a container holds below one directory of this machine. Names are hostile: none leads out of
 * the directory, and no link is followed on the way, neither one of the archive (links are left out) nor one that was
 * there before: each directory is opened by itself and the next name looked up in it.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { AgentError, errorText } from '../../../base/errors.ts';
import type { ReadEntry } from './tar-reader.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = constants;
const DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
const FILE = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;
/** Neither setuid nor sticky: what a container wrote gets no rights of its own here. */
const PLAIN_MODE = 0o777;
const NEW_DIRECTORY = 0o755;
const MAX_DEPTH = 256;

export interface Placement {
  /** A directory that exists. */
  readonly directory: string;
  /** What the copy is called in it. */
  readonly name: string;
  /** What the container's archive calls it; empty when it is the whole of a directory. */
  readonly source: string;
}

export interface PlaceView {
  onFile(path: string): void;
  onBytes(count: number): void;
  /** Links and devices are not copied. */
  onSkipped(path: string): void;
}

/** Rejects with AgentError, after what came before was written. */
export async function placeFiles(
  entries: AsyncIterable<ReadEntry>,
  { directory, name, source }: Placement,
  view: PlaceView,
): Promise<void> {
  await using root = await open(directory, O_RDONLY | O_DIRECTORY);
  for await (const { entry, body } of entries) {
    const names = [name, ...toPlaceNames(entry.path, source)];
    if (entry.kind === 'link' || entry.kind === 'other') {
      view.onSkipped(entry.path);
      continue;
    }
    try {
      await (entry.kind === 'directory'
        ? placeDirectory(root, names)
        : placeFile({ root, names, mode: entry.mode }, body, view));
    } catch (error) {
      if (error instanceof AgentError) throw error;
      throw new AgentError(
        'failed-precondition',
        `cannot write ${JSON.stringify(names.join('/'))}: ${explain(error)}`,
      );
    }
    if (entry.kind === 'file') view.onFile(names.join('/'));
  }
}

function explain(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ELOOP' || code === 'ENOTDIR'
    ? 'a link or a file is in the way, and links are not followed'
    : errorText(error);
}

/** The names below what was asked for. Throws AgentError for a path that is not there. */
export function toPlaceNames(path: string, source: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const outside = (): AgentError =>
    new AgentError(
      'permission-denied',
      `the container sent ${JSON.stringify(path)}, which was not asked for: nothing more is copied`,
    );
  if (names.includes('..') || names.some((name) => name.includes('\0')) || names.length > MAX_DEPTH)
    throw outside();
  if (source === '') return names;
  if (names[0] !== source) throw outside();
  return names.slice(1);
}

interface PlacedFile {
  readonly root: FileHandle;
  readonly names: readonly string[];
  readonly mode: number;
}

async function placeDirectory(root: FileHandle, names: readonly string[]): Promise<void> {
  const handle = await openDirectories(root, names);
  if (handle !== root) await handle.close();
}

async function placeFile(
  { root, names, mode }: PlacedFile,
  body: AsyncIterable<Buffer>,
  view: PlaceView,
): Promise<void> {
  const parent = await openDirectories(root, names.slice(0, -1));
  try {
    await using file = await open(`/proc/self/fd/${parent.fd}/${names.at(-1)}`, FILE, mode & PLAIN_MODE);
    if (!(await file.stat()).isFile())
      throw new AgentError(
        'failed-precondition',
        `${JSON.stringify(names.join('/'))} is no regular file here`,
      );
    for await (const part of body) {
      await file.writeFile(part);
      view.onBytes(part.length);
    }
  } finally {
    if (parent !== root) await parent.close();
  }
}

/** Makes those that are missing. The result is to be closed, unless it is the root. */
async function openDirectories(root: FileHandle, names: readonly string[]): Promise<FileHandle> {
  let handle = root;
  for (const name of names) {
    const path = `/proc/self/fd/${handle.fd}/${name}`;
    try {
      await mkdir(path, NEW_DIRECTORY).catch(ignoreExisting);
      const next = await open(path, DIRECTORY);
      if (handle !== root) await handle.close();
      handle = next;
    } catch (error) {
      if (handle !== root) await handle.close();
      throw error;
    }
  }
  return handle;
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
}
