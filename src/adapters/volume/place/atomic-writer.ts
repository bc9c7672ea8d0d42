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
import { constants, type Dirent } from 'node:fs';
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
import {
  chmod,
  lchown,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  symlink,
  unlink,
} from '../../linux/storage/storage-fs.ts';

const DATA = '..data';
const DATA_TEMPORARY = '..data_tmp';
/** Only directories of this form are taken for a version; anything else is not ours. */
const VERSION = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+$/;
const MAX_RANDOM = 2 ** 32;

export interface AtomicWrite {
  readonly directory: string;
  readonly payload: Payload;
  readonly nowMs: number;
  /** Called on the whole volume before the new version is shown. */
  readonly beforeSwitch?: () => Promise<void>;
}

/** True when a new version was written. Rejects with AgentError; what was visible before then stays. */
export async function writeAtomically(write: AtomicWrite): Promise<boolean> {
  const { directory, payload } = write;
  for (const path of payload.keys()) {
    const problem = findPathProblem(path);
    if (problem !== undefined) throw new AgentError('invalid-argument', problem);
  }
  try {
    const current = await readVersion(directory);
    const existing = current === undefined ? undefined : await readFiles(join(directory, current));
    const isChanged = existing === undefined || !isSameContent(existing, payload);
    const version = isChanged ? await writeVersion(write) : current;
    if (isChanged && version !== undefined) await switchTo(directory, version);
    const entries = await readdir(directory, { withFileTypes: true });
    await link(directory, payload, new Set(entries.map(({ name }) => name)));
    await removeStale(directory, entries, toVisibleNames(payload), version);
    return isChanged;
  } catch (error) {
    throw toHostError('write', directory, error);
  }
}

/** The name of the version shown now; a link that leads anywhere else does not count. */
async function readVersion(directory: string): Promise<string | undefined> {
  try {
    const target = await readlink(join(directory, DATA));
    return VERSION.test(target) ? target : undefined;
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'EINVAL')) return undefined;
    throw error;
  }
}

/** Relative path to content; undefined when there is no such directory. Links in it are not looked at. */
async function readFiles(version: string): Promise<Map<string, Uint8Array> | undefined> {
  const files = new Map<string, Uint8Array>();
  try {
    for (const entry of await readdir(version, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) files.set(path.slice(version.length + 1), await readFile(path));
    }
    return files;
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function writeVersion({ directory, payload, nowMs, beforeSwitch }: AtomicWrite): Promise<string> {
  const version = `..${toTimestamp(nowMs)}.${randomInt(MAX_RANDOM)}`;
  const place = join(directory, version);
  await mkdir(place);
  try {
    await chmod(place, 0o755);
    for (const [path, file] of payload) {
      const target = join(place, path);
      if (path.includes('/')) await mkdir(dirname(target), { recursive: true });
      const handle = await open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        await handle.writeFile(file.content);
        if (file.uid !== undefined) await handle.chown(file.uid, (await handle.stat()).gid);
        await handle.chmod(file.mode);
      } finally {
        await handle.close();
      }
    }
    await beforeSwitch?.();
    return version;
  } catch (error) {
    await removeTree(place).catch(() => {});
    throw error;
  }
}

async function switchTo(directory: string, version: string): Promise<void> {
  const temporary = join(directory, DATA_TEMPORARY);
  try {
    try {
      await symlink(version, temporary);
    } catch (error) {
      if (!hasErrno(error, 'EEXIST')) throw error;
      await ignoreAbsent(unlink(temporary));
      await symlink(version, temporary);
    }
    await rename(temporary, join(directory, DATA));
  } catch (error) {
    await removeTree(join(directory, version)).catch(() => {});
    throw error;
  }
}

async function link(directory: string, payload: Payload, existing: ReadonlySet<string>): Promise<void> {
  for (const name of toVisibleNames(payload)) {
    if (existing.has(name)) continue;
    const path = join(directory, name);
    const owner = payload.get(name)?.uid;
    await symlink(`${DATA}/${name}`, path);
    if (owner !== undefined) await lchown(path, owner, -1);
  }
}

/** Links of names that are no longer shown, and unreachable versions: those left by crashes, and the previous one. */
async function removeStale(
  directory: string,
  entries: readonly Dirent[],
  visible: ReadonlySet<string>,
  version: string | undefined,
): Promise<void> {
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink() && !visible.has(entry.name)) {
      if ((await readlink(path)) === `${DATA}/${entry.name}`) await ignoreAbsent(unlink(path));
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
