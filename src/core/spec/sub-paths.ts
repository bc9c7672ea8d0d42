/**
 * Mounts of a part of a volume. The part's name may refer to variables, so it
 * is known only once the environment is; then the agent prepares a host path
 * for it before the mounts are built.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { expand } from '../../base/text/expand.ts';
import type { Container, VolumeMount } from '../api/pod.ts';
import type { EnvironmentVariable } from '../model/container-config.ts';
import { toVariableLookup } from './environment.ts';

export interface SubPath {
  /** Place in the container's `volumeMounts`. */
  readonly index: number;
  readonly volumeName: string;
  /** Relative, without `..`. */
  readonly path: string;
}

/** All sub-paths of the container's mounts; refused when one is unsafe or refers to nothing. */
export function toSubPaths(container: Container, env: readonly EnvironmentVariable[]): Outcome<SubPath[]> {
  const lookup = toVariableLookup(env);
  const subPaths: SubPath[] = [];
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const path = toSubPath(mount, lookup);
    if (!path.ok) return path;
    if (path.value !== '') subPaths.push({ index, volumeName: mount.name, path: path.value });
  }
  return accept(subPaths);
}

function toSubPath(mount: VolumeMount, lookup: (name: string) => string | undefined): Outcome<string> {
  const path = mount.subPathExpr ? expandStrictly(mount.subPathExpr, lookup) : accept(mount.subPath ?? '');
  if (!path.ok || path.value === '') return path;
  if (path.value.startsWith('/')) {
    return refuse(`error SubPath \`${path.value}\` must not be an absolute path`);
  }
  if (path.value.split('/').includes('..')) {
    return refuse(`unable to provision SubPath \`${path.value}\`: must not contain '..'`);
  }
  return path;
}

/** Unlike in commands a missing or empty value is an error: it would silently mount something else. */
function expandStrictly(text: string, lookup: (name: string) => string | undefined): Outcome<string> {
  const missing = new Set<string>();
  const expanded = expand(text, (name) => {
    const value = lookup(name);
    if (!value) missing.add(name);
    return value;
  });
  if (missing.size === 0) return accept(expanded);
  return refuse(`missing value for ${[...missing].sort().join(', ')}`);
}
