/**
 * Where cgroups are in the tree. A name is a list of components; the driver
 * decides how it is written as a path. There is no directory for Guaranteed
 * pods: they sit beside the burstable and besteffort ones.
 */
import type { PodQosClass } from '../api/pod-status.ts';
import type { CgroupDriver } from '../model/node-profile.ts';

/** Components from the root of the hierarchy; empty is the root itself. */
export type CgroupName = readonly string[];

const PODS = 'kubepods';

/** `/foo/bar` as components; `/` and the empty text are the root. */
export function parseCgroupRoot(root: string): CgroupName {
  return root.split('/').filter((component) => component !== '');
}

/** The cgroup that holds all pods. */
export function podsCgroupName(cgroupRoot: string): CgroupName {
  return [...parseCgroupRoot(cgroupRoot), PODS];
}

/** The parent of the pods of one class. */
export function qosCgroupName(cgroupRoot: string, qos: PodQosClass): CgroupName {
  const pods = podsCgroupName(cgroupRoot);
  return qos === 'Guaranteed' ? pods : [...pods, qos.toLowerCase()];
}

export function podCgroupName(cgroupRoot: string, qos: PodQosClass, podUid: string): CgroupName {
  return [...qosCgroupName(cgroupRoot, qos), `pod${podUid}`];
}

/** The path below the hierarchy's mount point, with a leading `/`. */
export function toCgroupPath(name: CgroupName, driver: CgroupDriver): string {
  if (driver === 'cgroupfs') return `/${name.join('/')}`;
  let path = '';
  let slice = '';
  for (const component of name) {
    // A dash separates levels in a slice's name, so one inside a component is escaped.
    const escaped = component.replaceAll('-', '_');
    slice = slice === '' ? escaped : `${slice}-${escaped}`;
    path += `/${slice}.slice`;
  }
  return path === '' ? '/' : path;
}

/** Reads a path back; the reverse of {@link toCgroupPath}. */
export function parseCgroupPath(path: string, driver: CgroupDriver): CgroupName {
  const components = path.split('/').filter((component) => component !== '');
  if (driver === 'cgroupfs') return components;
  const slice = components.at(-1)?.replace(/\.slice$/, '') ?? '';
  return slice === '' ? [] : slice.split('-').map((component) => component.replaceAll('_', '-'));
}

/** The UID of the pod whose cgroup this is; undefined when it is not a pod's. */
export function podUidOfCgroup(name: CgroupName): string | undefined {
  const parts = name.at(-1)?.split('pod') ?? [];
  return parts.length === 2 && parts[0] === '' ? parts[1] : undefined;
}
