/**
 * Makes a cgroup with what it needs to be of use: on version 2 its parents
 * hand their controllers down, on version 1 a cpuset gets its CPUs.
 */
import { dirname, join } from 'node:path';
import { isDirectory, makeCgroupDirectory, readWords, writeControl } from './cgroup-files.ts';
import type { CgroupLayout } from './cgroup-layout.ts';

/** Controllers a pod's cgroup must have, as far as the machine has them. */
const NEEDED = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'] as const;
const NEEDED_V1: ReadonlySet<string> = new Set([...NEEDED, 'cpuacct', 'name=systemd']);

/** Makes the cgroup and its missing parents. Resolves to warnings; rejects with the system's error. */
export async function makeCgroup(layout: CgroupLayout, path: string): Promise<string[]> {
  if (layout.version === 2) return ensureUnified(layout.root, path);
  const made = layout.hierarchies.map(({ directory, controllers }) =>
    ensureInHierarchy(directory, path, controllers.includes('cpuset')),
  );
  return (await Promise.all(made)).flat();
}

/** True when the cgroup is there with every controller that it needs. Throws AgentError. */
export function isComplete(layout: CgroupLayout, path: string): boolean {
  return layout.version === 2 ? hasControllers(layout.root, path) : isThere(layout, path);
}

/** True when the cgroup is there, whatever its controllers. Throws AgentError. */
export function isThere(layout: CgroupLayout, path: string): boolean {
  return toPlaces(layout, path).every(isDirectory);
}

/** The directories of the cgroup that are not there. Throws AgentError. */
export function findMissingPlaces(layout: CgroupLayout, path: string): string[] {
  return toPlaces(layout, path).filter((place) => !isDirectory(place));
}

/** Without the trees of version 1 that do not matter to pods. */
function toPlaces(layout: CgroupLayout, path: string): string[] {
  if (layout.version === 2) return [join(layout.root, path)];
  const needed = layout.hierarchies.filter(({ controllers }) =>
    controllers.some((controller) => NEEDED_V1.has(controller)),
  );
  return needed.map(({ directory }) => join(directory, path));
}

/** From the top down, because a child can only have what its parent hands down. */
async function ensureUnified(root: string, path: string): Promise<string[]> {
  const controllers = readWords(join(root, 'cgroup.controllers'));
  const warnings: string[] = [];
  let directory = root;
  for (const component of path.split('/').filter(Boolean)) {
    warnings.push(...(await handDown(directory, controllers)));
    directory = join(directory, component);
    makeCgroupDirectory(directory);
  }
  return warnings;
}

/** One refused controller must not cost the others: all at once, then one by one. */
async function handDown(directory: string, controllers: readonly string[]): Promise<string[]> {
  const file = join(directory, 'cgroup.subtree_control');
  const given = new Set(readWords(file));
  const missing = controllers.filter((controller) => !given.has(controller)).map((name) => `+${name}`);
  if (missing.length === 0) return [];
  if ((await writeControl(file, missing.join(' '))) === undefined) return [];
  const warnings: string[] = [];
  for (const word of missing) {
    const refused = await writeControl(file, word);
    if (refused !== undefined) warnings.push(refused.message);
  }
  return warnings;
}

async function ensureInHierarchy(root: string, path: string, isCpuset: boolean): Promise<string[]> {
  if (!isCpuset) {
    makeCgroupDirectory(join(root, path));
    return [];
  }
  const warnings: string[] = [];
  makeCgroupDirectory(join(root, path));
  let directory = root;
  for (const component of path.split('/').filter(Boolean)) {
    directory = join(directory, component);
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      warnings.push(...(await inheritCpuset(directory, file)));
  }
  return warnings;
}

/** A version 1 cpuset starts empty, and no process can enter an empty one. */
async function inheritCpuset(directory: string, file: string): Promise<string[]> {
  if (readWords(join(directory, file)).length > 0) return [];
  const inherited = readWords(join(dirname(directory), file)).join('');
  if (inherited === '') return [];
  const refused = await writeControl(join(directory, file), inherited);
  return refused === undefined ? [] : [refused.message];
}

function hasControllers(root: string, path: string): boolean {
  const offered = new Set(readWords(join(root, 'cgroup.controllers')));
  if (!isDirectory(join(root, path))) return false;
  const own = new Set(readWords(join(root, path, 'cgroup.controllers')));
  return NEEDED.every((controller) => !offered.has(controller) || own.has(controller));
}
