/**
 * Writes the files of a volume so that a container sees all of the old or all
 * of the new ones, never a mixture:
 *
 *   ..2026_01_31_12_00_00.123/   the files
 *   ..data -> ..2026_01_31_12_00_00.123      switched by one rename
 *   key -> ..data/key                         one link per name at the top
 *
 * Invariants: only names that this writer makes are ever removed, and never
 * through a link; a crash at any point leaves a whole version visible.
 */
import { randomInt } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import {
  findPathProblem,
  isSameContent,
  type Payload,
  toVisibleNames,
} from '../../../core/volume/payload.ts';
import { removeTree } from '../../linux/files/remove-tree.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import { type ContentFiles, diskFiles, memoryFiles } from '../../linux/storage/content-files.ts';

const DATA = '..data';
const DATA_TEMPORARY = '..data_tmp';
/** Only directories of this form are taken for a version; anything else is not ours. */
const VERSION = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+$/;
const MAX_RANDOM = 2 ** 32;

export interface AtomicWrite {
  readonly directory: string;
  readonly payload: Payload;
  readonly nowMs: number;
  /** The directory is a file system in the machine's memory, which only the agent writes to. */
  readonly isInMemory?: boolean;
  /** Called on the whole volume before the new version is shown. */
  readonly beforeSwitch?: () => Promise<void>;
}

/** True when a new version was written. Rejects with AgentError; what was visible before then stays. */
export async function writeAtomically(write: AtomicWrite): Promise<boolean> {
  const { directory, payload, isInMemory } = write;
  const files = isInMemory ? memoryFiles : diskFiles;
  for (const path of payload.keys()) {
    const problem = findPathProblem(path);
    if (problem !== undefined) throw new AgentError('invalid-argument', problem);
  }
  try {
    const current = await readVersion(files, directory);
    const existing = current === undefined ? undefined : await readFiles(files, join(directory, current));
    const isChanged = existing === undefined || !isSameContent(existing, payload);
    const version = isChanged ? await writeVersion(files, write) : current;
    if (isChanged && version !== undefined) await switchTo(files, directory, version);
    const entries = await files.list(directory);
    await link(files, directory, payload, new Set(entries.map(({ name }) => name)));
    await removeStale(files, directory, entries, toVisibleNames(payload), version);
    return isChanged;
  } catch (error) {
    throw toHostError('write', directory, error);
  }
}

/** The name of the version shown now; a link that leads anywhere else does not count. */
async function readVersion(files: ContentFiles, directory: string): Promise<string | undefined> {
  try {
    const target = await files.readLink(join(directory, DATA));
    return VERSION.test(target) ? target : undefined;
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'EINVAL')) return undefined;
    throw error;
  }
}

/** Relative path to content; undefined when there is no such directory. Links in it are not looked at. */
async function readFiles(files: ContentFiles, version: string): Promise<Map<string, Uint8Array> | undefined> {
  const found = new Map<string, Uint8Array>();
  try {
    for (const entry of await files.listAll(version)) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) found.set(path.slice(version.length + 1), await files.read(path));
    }
    return found;
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function writeVersion(
  files: ContentFiles,
  { directory, payload, nowMs, beforeSwitch }: AtomicWrite,
): Promise<string> {
  const version = `..${toTimestamp(nowMs)}.${randomInt(MAX_RANDOM)}`;
  const place = join(directory, version);
  await files.makeDirectory(place);
  try {
    for (const [path, file] of payload) {
      const target = join(place, path);
      if (path.includes('/')) await files.makeDirectories(dirname(target));
      await files.writeNew(target, file);
    }
    await beforeSwitch?.();
    return version;
  } catch (error) {
    await removeTree(place).catch(() => {});
    throw error;
  }
}

async function switchTo(files: ContentFiles, directory: string, version: string): Promise<void> {
  const temporary = join(directory, DATA_TEMPORARY);
  try {
    try {
      await files.link(version, temporary);
    } catch (error) {
      if (!hasErrno(error, 'EEXIST')) throw error;
      await ignoreAbsent(files.unlink(temporary));
      await files.link(version, temporary);
    }
    await files.rename(temporary, join(directory, DATA));
  } catch (error) {
    await removeTree(join(directory, version)).catch(() => {});
    throw error;
  }
}

async function link(
  files: ContentFiles,
  directory: string,
  payload: Payload,
  existing: ReadonlySet<string>,
): Promise<void> {
  for (const name of toVisibleNames(payload)) {
    if (existing.has(name)) continue;
    const path = join(directory, name);
    const owner = payload.get(name)?.uid;
    await files.link(`${DATA}/${name}`, path);
    if (owner !== undefined) await files.setLinkOwner(path, owner);
  }
}

/** Links of names that are no longer shown, and unreachable versions: those left by crashes, and the previous one. */
async function removeStale(
  files: ContentFiles,
  directory: string,
  entries: readonly Dirent[],
  visible: ReadonlySet<string>,
  version: string | undefined,
): Promise<void> {
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink() && entry.name !== DATA && !visible.has(entry.name)) {
      if ((await files.readLink(path)) === `${DATA}/${entry.name}`) await ignoreAbsent(files.unlink(path));
    } else if (entry.isDirectory() && VERSION.test(entry.name) && entry.name !== version) {
      await removeVersion(path);
    }
  }
}

/** Without reading the mount table: nothing is mounted inside a version, and a mount is not removed in any case. */
function removeVersion(path: string): Promise<void> {
  return removeTree(path, async () => '');
}

async function ignoreAbsent(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
  }
}

/** `2026_01_31_12_00_00`, in UTC. */
function toTimestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '_');
}
