/**
 * Takes away the place of a mount whose content is not the agent's to remove:
 * unmount, then the empty directory. Never recursive: a file that appears
 * there means that something is still mounted, or was written by another process.
 */
import type { Mounter } from '../../../ports/host/mounter.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import { rmdir } from '../../linux/storage/storage-fs.ts';

/** Nothing there is success; rejects with AgentError when something stays. */
export async function removeMountPoint(
  mounter: Mounter,
  directory: string,
  unmount: (target: string) => Promise<void> = (target) => mounter.unmount(target),
): Promise<void> {
  // One place may bear more than one mount.
  while ((await mounter.mountsBelow(directory)).includes(directory)) await unmount(directory);
  try {
    await rmdir(directory);
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw toHostError('remove', directory, error);
  }
}
