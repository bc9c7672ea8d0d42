/** The cgroup below which a kubelet has its pods, as an administrator makes it: a kubelet wants it to exist. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CgroupDriver } from '../../src/core/model/node-profile.ts';
import { parseCgroupRoot, toCgroupPath } from '../../src/core/resources/cgroup-names.ts';

const MOUNT = '/sys/fs/cgroup';

/** `root` is one component with a leading `/`. One that is there is success. */
export async function makeCgroupRoot(root: string, driver: CgroupDriver): Promise<void> {
  const path = toCgroupPath(parseCgroupRoot(root), driver);
  const isUnified = existsSync(join(MOUNT, 'cgroup.controllers'));
  for (const hierarchy of isUnified ? [''] : await readdir(MOUNT)) {
    await mkdir(join(MOUNT, hierarchy, path), { recursive: true }).catch(() => {});
    // A new cpuset of version 1 has no CPUs until some are written to it.
    for (const file of isUnified ? [] : ['cpuset.cpus', 'cpuset.mems']) {
      const text = await readFile(join(MOUNT, hierarchy, file), 'utf8').catch(() => undefined);
      if (text !== undefined) await writeFile(join(MOUNT, hierarchy, path, file), text);
    }
  }
}
