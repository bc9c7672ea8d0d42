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

/** What a cgroup of version 2 hands down. */
const SUBTREE_CONTROL = 'cgroup.subtree_control';

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

/** From the top down, because a child can only have what its parent hands down: all of it, where one above has it. */
async function ensureUnified(root: string, path: string): Promise<string[]> {
  const controllers = readWords(join(root, 'cgroup.controllers'));
  const place = join(root, path);
  if (findWithheld(dirname(place), controllers).length === 0) {
    makeCgroupDirectory(place);
    return [];
  }
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
  const file = join(directory, SUBTREE_CONTROL);
  const missing = findWithheld(directory, controllers).map((name) => `+${name}`);
  if (missing.length === 0) return [];
  if ((await writeControl(file, missing.join(' '))) === undefined) return [];
  const warnings: string[] = [];
  for (const word of missing) {
    const refused = await writeControl(file, word);
    if (refused !== undefined) warnings.push(refused.message);
  }
  return warnings;
}

/** Of these controllers; all of them where there is no such cgroup. */
function findWithheld(directory: string, controllers: readonly string[]): string[] {
  const given = new Set(readWords(join(directory, SUBTREE_CONTROL)));
  return controllers.filter((controller) => !given.has(controller));
}

async function ensureInHierarchy(root: string, path: string, isCpuset: boolean): Promise<string[]> {
  const place = join(root, path);
  makeCgroupDirectory(place);
  const warnings: string[] = [];
  if (isCpuset)
    for (const file of ['cpuset.cpus', 'cpuset.mems']) await inheritCpuset(root, place, file, warnings);
  return warnings;
}

/**
 * A version 1 cpuset starts empty, and no process can enter an empty one. Resolves to what it has, which the cgroups
 * above get first where they have nothing either.
 */
async function inheritCpuset(root: string, place: string, file: string, warnings: string[]): Promise<string> {
  const own = readWords(join(place, file)).join('');
  if (own !== '' || place === root) return own;
  const inherited = await inheritCpuset(root, dirname(place), file, warnings);
  if (inherited === '') return '';
  const refused = await writeControl(join(place, file), inherited);
  if (refused === undefined) return inherited;
  warnings.push(refused.message);
  return '';
}

function hasControllers(root: string, path: string): boolean {
  const offered = new Set(readWords(join(root, 'cgroup.controllers')));
  if (!isDirectory(join(root, path))) return false;
  const own = new Set(readWords(join(root, path, 'cgroup.controllers')));
  return NEEDED.every((controller) => !offered.has(controller) || own.has(controller));
}
