/**
 * The directory behind a volume the agent itself provides: on the node's disk
 * or in memory. Made before anything is mounted on it and removed after, so
 * that the directory alone records what a crash has left to undo.
 */
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Pod } from '../../../core/api/pod.ts';
import type { NodeProfile } from '../../../core/model/node-profile.ts';
import { computeTmpfsSize, toTmpfsOptions } from '../../../core/volume/memory-medium.ts';
import type { Mounter } from '../../../ports/host/mounter.ts';
import { makeDirectory } from '../../linux/files/make-directory.ts';
import { removeTree } from '../../linux/files/remove-tree.ts';
import { toHostError } from '../../linux/host-error.ts';
import { open, rmdir } from '../../linux/storage/storage-fs.ts';

const DIRECTORY_MODE = 0o777;
const PARENT_MODE = 0o750;

export interface BackingParts {
  readonly mounter: Mounter;
  readonly node: NodeProfile;
}

/** What to mount on the directory. */
export interface Medium {
  readonly fsType: string;
  readonly source: string;
  readonly options: readonly string[];
}

/** A tmpfs no larger than the pod, the node and `sizeLimit` allow. */
export function toMemoryMedium(pod: Pod, sizeLimit: string | undefined, node: NodeProfile): Medium {
  const options = toTmpfsOptions(computeTmpfsSize(pod, sizeLimit, node), node.swap);
  return { fsType: 'tmpfs', source: 'tmpfs', options };
}

/** Makes the directory, open to every user, and mounts `medium` on it unless something is there. */
export async function makeBacking(
  mounter: Mounter,
  directory: string,
  medium: Medium | undefined,
  signal: AbortSignal,
): Promise<void> {
  const isNew = await makeBackingDirectory(directory, medium);
  await mountBacking(mounter, { directory, isNew }, medium, signal);
}

/** True when it is new: then nothing is mounted on it. Of one that something will be mounted on the mode does not show. */
export async function makeBackingDirectory(directory: string, medium: Medium | undefined): Promise<boolean> {
  try {
    await makeDirectory(dirname(directory), PARENT_MODE);
    return await makeDirectory(directory, medium === undefined ? DIRECTORY_MODE : PARENT_MODE);
  } catch (error) {
    throw toHostError('create directory', directory, error);
  }
}

/** After {@link makeBackingDirectory}. */
export async function mountBacking(
  mounter: Mounter,
  { directory, isNew }: { readonly directory: string; readonly isNew: boolean },
  medium: Medium | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (!isNew) {
    if ((await mounter.mountsBelow(directory)).includes(directory)) return;
    if (medium === undefined) await openToAll(directory);
  }
  if (medium !== undefined) await mounter.mount({ ...medium, target: directory }, signal);
}

/** Unmounts what the agent mounted there and removes the directory. Rejects where something else is mounted. */
export async function removeBacking(mounter: Mounter, directory: string): Promise<void> {
  let isMounted = await mounter.unmountMemory(directory);
  if (!isMounted) {
    isMounted = (await mounter.mountsBelow(directory)).includes(directory);
    if (isMounted) await mounter.unmount(directory);
  }
  try {
    // Empty where something was mounted: one call.
    if (isMounted && (await tryRemoveEmpty(directory))) return;
    await removeTree(directory);
  } catch (error) {
    throw toHostError('remove', directory, error);
  }
}

/** False when it is not empty, or anything else than a directory. */
async function tryRemoveEmpty(directory: string): Promise<boolean> {
  return rmdir(directory).then(
    () => true,
    () => false,
  );
}

/** A crash may have come between making the directory and setting its mode. */
async function openToAll(directory: string): Promise<void> {
  try {
    const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      await handle.chmod(DIRECTORY_MODE);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toHostError('open', directory, error);
  }
}
