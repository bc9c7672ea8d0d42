/**
 * Gives a volume to the pod's fsGroup. The root is changed last, so that an
 * interrupted run is recognised and done again; links get the group but are
 * not followed. That a single file refuses is not worth failing the pod for.
 */
import { chmod, chown, type FileHandle, lchown, readdir } from 'node:fs/promises';
import { computeGroupMode, isSettled, type Ownership } from '../../../core/volume/ownership.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import { inside, itself, openAnything, openDirectory } from './directory-descriptors.ts';

/** Leaves the owner as it is. */
const SAME = -1;

/** Rejects with AgentError when the tree cannot be walked; `onEntry` counts what was met below the root. */
export async function setOwnership(
  directory: string,
  ownership: Ownership,
  onEntry: () => void = () => {},
): Promise<void> {
  try {
    const root = await openDirectory(directory);
    try {
      const { gid, mode } = await root.stat();
      if (isSettled({ gid, mode, isDirectory: true }, ownership)) return;
      await changeBelow(root, ownership, onEntry);
      await change(root, ownership);
    } finally {
      await root.close();
    }
  } catch (error) {
    throw toHostError('set the group of', directory, error);
  }
}

async function changeBelow(directory: FileHandle, ownership: Ownership, onEntry: () => void): Promise<void> {
  for (const name of await readdir(itself(directory))) {
    let entry: FileHandle;
    try {
      entry = await openAnything(inside(directory, name));
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) continue;
      throw error;
    }
    try {
      const facts = await entry.stat();
      onEntry();
      if (facts.isSymbolicLink()) {
        await tolerate(lchown(inside(directory, name), SAME, ownership.fsGroup));
        continue;
      }
      if (facts.isDirectory()) await changeBelow(entry, ownership, onEntry);
      await change(entry, ownership);
    } finally {
      await entry.close();
    }
  }
}

async function change(entry: FileHandle, { fsGroup, readOnly }: Ownership): Promise<void> {
  await tolerate(chown(itself(entry), SAME, fsGroup));
  const facts = await entry.stat();
  const mode = computeGroupMode(facts.mode, facts.isDirectory(), readOnly);
  await tolerate(chmod(itself(entry), mode));
}

async function tolerate(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!hasErrno(error, 'EPERM', 'EACCES', 'EROFS', 'ENOENT', 'EOPNOTSUPP', 'EINVAL')) throw error;
  }
}
