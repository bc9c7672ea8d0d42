/**
 * Takes away the cgroup that a kubelet of the demo or a test had its pods
 * below, once they have ended. What is still in use stays.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parseCgroupRoot, toCgroupPath } from '../../src/core/resources/cgroup-names.ts';
import { CGROUP_DRIVER } from './kubelet-process.ts';

const MOUNT = '/sys/fs/cgroup';

/** `root` is one component with a leading `/`. Never rejects. */
export async function removeCgroupRoot(root: string): Promise<void> {
  if (CGROUP_DRIVER === 'systemd') return stopSlice(basename(toCgroupPath(parseCgroupRoot(root), 'systemd')));
  const isUnified = existsSync(join(MOUNT, 'cgroup.controllers'));
  const hierarchies = isUnified ? [''] : await readdir(MOUNT).catch(() => []);
  await Promise.all(hierarchies.map((hierarchy) => removeTree(join(MOUNT, hierarchy, root))));
}

/** Those below go with it, and systemd takes their directories away. */
async function stopSlice(slice: string): Promise<void> {
  await promisify(execFile)('systemctl', ['stop', '--', slice]).catch(() => {});
}

/** Control files go with their directory, so only directories have to be emptied. */
async function removeTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  }
  await rmdir(directory).catch(() => {});
}
