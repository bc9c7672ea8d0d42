/**
 * The cgroup below which a node is to have its pods. It is the administrator's: a kubelet that made what it does not
 * find would run its pods beside the limits that a mistyped name was meant to put them under.
 */
import { join } from 'node:path';
import type { CgroupDriver } from '../../../core/model/node-profile.ts';
import { parseCgroupRoot, toCgroupPath } from '../../../core/resources/cgroup-names.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { findMissingPlaces } from './make-cgroup.ts';

/** Why pods cannot be there; undefined when they can. Throws AgentError when it cannot be looked at. */
export function findRootProblem(
  layout: CgroupLayout,
  cgroupRoot: string,
  driver: CgroupDriver,
): string | undefined {
  const name = parseCgroupRoot(cgroupRoot);
  const missing = findMissingPlaces(layout, toCgroupPath(name, driver));
  if (missing.length === 0) return undefined;
  const cgroup = `cgroup [${name.map((component) => JSON.stringify(component)).join(' ')}]`;
  return layout.version === 2
    ? `invalid configuration: could not read controllers for ${cgroup}: open ${join(...missing, 'cgroup.controllers')}: no such file or directory`
    : `invalid configuration: ${cgroup} has some missing paths: ${missing.join(', ')}`;
}
