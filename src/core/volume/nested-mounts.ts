/**
 * Directories that must exist inside a volume because a container mounts
 * another volume below it: the volume itself is read-only for the runtime,
 * which therefore cannot make them. The agent makes them as root on the
 * host, so mount points are cleaned before they are compared: what a result
 * names lies inside the volume.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../api/pod.ts';
import { allContainersOf } from '../model/pod-containers.ts';

/** Relative paths, first nesting level only. */
export function toNestedMounts(pod: Pod, volumeName: string): Outcome<string[]> {
  const nested = new Set<string>();
  for (const { volumeMounts = [] } of allContainersOf(pod)) {
    const paths = volumeMounts.map(({ mountPath }) => cleanMountPath(mountPath));
    for (const { name, mountPath, subPath } of volumeMounts) {
      if (name !== volumeName || (subPath ?? '') !== '') continue;
      const own = cleanMountPath(mountPath);
      if (isAbove(own)) return refuse(`invalid container mount point ${own}`);
      const below = paths.filter((path) => path.startsWith(`${own}/`)).toSorted();
      for (const path of below)
        if (!below.some((other) => path.startsWith(`${other}/`))) nested.add(path.slice(own.length + 1));
    }
  }
  return accept([...nested]);
}

/**
 * As the container has it: absolute, without a slash at its end, `..` resolved
 * by the text alone. One that is not absolute and leads up keeps its `..`.
 */
function cleanMountPath(path: string): string {
  const names: string[] = [];
  let above = 0;
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) above++;
  }
  const start = path.startsWith('/') || above === 0 ? '' : `..${'/..'.repeat(above - 1)}`;
  return [start, ...names].join('/');
}

function isAbove(path: string): boolean {
  return path === '..' || path.startsWith('../');
}
