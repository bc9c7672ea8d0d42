/**
 * Takes away the cgroup that a kubelet of the demo or a test had its pods
 * below, once they have ended. What is still in use stays.
 */
import { existsSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';

/** `root` is one component with a leading `/`. Never rejects. */
export async function removeCgroupRoot(root: string): Promise<void> {
  const isUnified = existsSync(join(MOUNT, 'cgroup.controllers'));
  const hierarchies = isUnified ? [''] : await readdir(MOUNT).catch(() => []);
  await Promise.all(hierarchies.map((hierarchy) => removeTree(join(MOUNT, hierarchy, root))));
}

/** Control files go with their directory, so only directories have to be emptied. */
async function removeTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  }
  await rmdir(directory).catch(() => {});
}
