/**
 * The real host behind `loadConfiguration`: files of the local disk and the version of the cgroup hierarchy.
 * The only file of this folder that touches the outside; `main.ts` builds one and passes it on.
 */
import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import type { LoadHost } from './load-configuration.ts';

const CGROUP2_MAGIC = 0x63677270;

/** Reads are synchronous: nothing else runs before the configuration is known. */
export function hostConfigurationFiles(cgroupMount = '/sys/fs/cgroup'): LoadHost {
  const cgroupVersion = readCgroupVersion(cgroupMount);
  return {
    columns: process.stdout.columns,
    cwd: process.cwd(),
    readFile: (path) => readFileSync(path, 'utf8'),
    readDir: (path) =>
      readdirSync(path, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        isDirectory: entry.isDirectory(),
      })),
    cgroupVersion,
  };
}

function readCgroupVersion(mount: string): 1 | 2 | undefined {
  try {
    return statfsSync(mount).type === CGROUP2_MAGIC ? 2 : 1;
  } catch {
    return undefined; // No such mount: not Linux, or a container without it. Nothing to check then.
  }
}
