/**
 * Gives a volume to the pod's fsGroup. The root is changed last, so that an
 * interrupted run is recognised and done again; links get the group but are
 * not followed, and what else is mounted inside the volume (by a container
 * with `Bidirectional`, say) is left alone: it is not the volume's. A single
 * file that refuses does not fail the pod; a tree that was built to exhaust the kubelet that walks it is refused.
 */
import type { FileHandle } from 'node:fs/promises';
import { AgentError } from '../../../base/errors.ts';
import { computeGroupMode, isSettled, type Ownership } from '../../../core/volume/ownership.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import { chmod, chown, lchown, noticeMounts, opendir, readMountId } from '../../linux/storage/storage-fs.ts';
import { inside, itself, openAnything, openDirectory } from './directory-descriptors.ts';

/** Leaves the owner as it is. */
const SAME = -1;
/** Each level holds open files and a part of a listing. No path could name what is much deeper. */
const MAX_DEPTH = 1000;

interface Walk {
  readonly ownership: Ownership;
  readonly onEntry: () => void;
  /** Of the volume. */
  readonly mountId: string;
}

/** Rejects with AgentError when the tree cannot be walked; `onEntry` counts what was met below the root. */
export async function setOwnership(
  directory: string,
  ownership: Ownership,
  onEntry: () => void = () => {},
): Promise<void> {
  // A driver may have mounted it just now.
  noticeMounts();
  try {
    const root = await openDirectory(directory);
    try {
      const { gid, mode } = await root.stat();
      if (isSettled({ gid, mode, isDirectory: true }, ownership)) return;
      await changeBelow(root, { ownership, onEntry, mountId: readMountId(root) });
      await change(root, ownership);
    } finally {
      await root.close();
    }
  } catch (error) {
    throw toHostError('set the group of', directory, error);
  }
}

async function changeBelow(directory: FileHandle, walk: Walk, depth = 1): Promise<void> {
  if (depth > MAX_DEPTH)
    throw new AgentError('failed-precondition', `directories are nested more than ${MAX_DEPTH} deep`);
  // A few at a time, however many there are; as bytes, since names need not be text.
  for await (const { name } of await opendir(itself(directory), { encoding: 'buffer' as BufferEncoding })) {
    const place = Buffer.concat([Buffer.from(inside(directory, '')), name as unknown as Buffer]);
    let entry: FileHandle;
    try {
      entry = await openAnything(place);
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) continue;
      throw error;
    }
    try {
      if (readMountId(entry) !== walk.mountId) continue;
      const facts = await entry.stat();
      walk.onEntry();
      if (facts.isSymbolicLink()) {
        await tolerate(lchown(place, SAME, walk.ownership.fsGroup));
        continue;
      }
      if (facts.isDirectory()) await changeBelow(entry, walk, depth + 1);
      await change(entry, walk.ownership);
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
