/** Takes away what a run has left on the machine: mounts, the directory and the cgroup. */

import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeTree } from '../../../adapters/linux/files/remove-tree.ts';
import { listMountsBelow, readMountTable } from '../../../adapters/linux/mountinfo.ts';
import { runProgram } from '../../../adapters/linux/program/run-program.ts';
import { removeCgroupRoot } from '../../../adapters/systemd/remove-cgroup-root.ts';
import { errorText } from '../../../base/errors.ts';
import { RUN_DIRECTORY, type RunPlace } from './run-place.ts';

/** What could not be removed, and why; undefined when nothing is left. */
export async function cleanRun({ rootDir, cgroupRoot }: RunPlace): Promise<string | undefined> {
  await removeCgroupRoot(cgroupRoot);
  try {
    // The deepest first: the last of them is the directory itself, which the kubelet has made a mount.
    for (const path of listMountsBelow(await readMountTable(), rootDir).toReversed()) {
      // That one is busy: the run holds its lock file in there until all is removed.
      const detach = path === rootDir ? ['-l'] : [];
      await runProgram('umount', [...detach, '--', path], 'unmount', path);
    }
    await removeTree(rootDir);
    if (dirname(rootDir) === RUN_DIRECTORY) await rmdir(RUN_DIRECTORY).catch(() => {});
    return undefined;
  } catch (error) {
    return `cannot remove ${JSON.stringify(rootDir)}: ${errorText(error)}`;
  }
}
