/**
 * Directories that must exist inside a volume because a container mounts
 * another volume below it: the volume itself is read-only for the runtime,
 * which therefore cannot make them.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../api/pod.ts';
import { allContainers } from './used-volumes.ts';

/** Relative paths, first nesting level only. */
export function toNestedMounts(pod: Pod, volumeName: string): Outcome<string[]> {
  const nested = new Set<string>();
  for (const { volumeMounts = [] } of allContainers(pod)) {
    const paths = volumeMounts.map(({ mountPath }) => withoutSlash(mountPath));
    for (const { name, mountPath, subPath } of volumeMounts) {
      if (name !== volumeName || (subPath ?? '') !== '') continue;
      const own = withoutSlash(mountPath);
      if (own.startsWith('../')) return refuse(`invalid container mount point ${own}`);
      const below = paths.filter((path) => path.startsWith(`${own}/`)).toSorted();
      for (const path of below)
        if (!below.some((other) => path.startsWith(`${other}/`))) nested.add(path.slice(own.length + 1));
    }
  }
  return accept([...nested]);
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
