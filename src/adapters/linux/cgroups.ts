/**
 * Pod cgroups as directories of the cgroup file system, for both versions.
 * Version 1 has one tree per controller and all are kept alike; version 2 has
 * one tree where a parent must hand its controllers down.
 *
 * Invariant: nothing outside the cgroup that holds all pods is created or
 * removed, except missing parents of that cgroup.
 */
import { constants } from 'node:fs';
import { open, readdir, readFile, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, sleep } from '../../base/clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { PodCgroups } from '../../ports/cgroups.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { hasErrno, toHostError } from './host-error.ts';
import { makeDirectory } from './make-directory.ts';

/** Controllers a pod's cgroup must have, as far as the machine has them. */
const NEEDED = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'] as const;
const NEEDED_V1: ReadonlySet<string> = new Set([...NEEDED, 'cpuacct', 'name=systemd']);

/** The kernel frees a cgroup a moment after its last process has gone. */
const BUSY_TRIES = 10;
const FIRST_BUSY_WAIT_MS = 1;

export interface CgroupTreeSettings {
  readonly clock: Clock;
  readonly layout: CgroupLayout;
  /** The cgroup that holds all pods, such as `/kubepods`. */
  readonly podsRoot: string;
}

export class LinuxPodCgroups implements PodCgroups {
  readonly #clock: Clock;
  readonly #layout: CgroupLayout;
  readonly #podsRoot: string;

  constructor({ clock, layout, podsRoot }: CgroupTreeSettings) {
    this.#clock = clock;
    this.#layout = layout;
    this.#podsRoot = podsRoot;
  }

  async ensure(path: string): Promise<readonly string[]> {
    this.#requirePodPath('create', path);
    try {
      return this.#layout.version === 2
        ? await ensureUnified(this.#layout.root, path)
        : (
            await Promise.all(
              this.#layout.hierarchies.map(({ directory, controllers }) =>
                ensureInHierarchy(directory, path, controllers.includes('cpuset')),
              ),
            )
          ).flat();
    } catch (error) {
      throw toHostError('create cgroup', path, error);
    }
  }

  async remove(path: string): Promise<void> {
    this.#requirePodPath('remove', path);
    try {
      await Promise.all(this.#roots().map((root) => this.#removeBelow(join(root, path))));
    } catch (error) {
      throw toHostError('remove cgroup', path, error);
    }
  }

  async exists(path: string): Promise<boolean> {
    this.#requirePodPath('look at', path);
    if (this.#layout.version === 2) return hasControllers(this.#layout.root, path);
    const needed = this.#layout.hierarchies.filter(({ controllers }) =>
      controllers.some((controller) => NEEDED_V1.has(controller)),
    );
    const found = await Promise.all(needed.map(({ directory }) => isDirectory(join(directory, path))));
    return found.every(Boolean);
  }

  /** The version 2 tree beside version 1 belongs to it: the runtime may have made directories there. */
  #roots(): string[] {
    if (this.#layout.version === 2) return [this.#layout.root];
    const { hierarchies, unified } = this.#layout;
    return [...hierarchies.map(({ directory }) => directory), ...(unified === undefined ? [] : [unified])];
  }

  /** Deepest first: the kernel removes only a cgroup without children. */
  async #removeBelow(directory: string): Promise<void> {
    for (const child of await listChildren(directory)) await this.#removeBelow(join(directory, child));
    let waitMs = FIRST_BUSY_WAIT_MS;
    for (let tried = 1; ; tried++) {
      try {
        return await rmdir(directory);
      } catch (error) {
        if (hasErrno(error, 'ENOENT')) return;
        if (!hasErrno(error, 'EBUSY') || tried > BUSY_TRIES) throw error;
      }
      await sleep(this.#clock, waitMs);
      waitMs *= 2;
    }
  }

  #requirePodPath(action: string, path: string): void {
    const below = path.startsWith(`${this.#podsRoot}/`) ? path.slice(this.#podsRoot.length + 1) : '';
    if (below.split('/').every((component) => component !== '' && component !== '.' && component !== '..'))
      return;
    const why = `it is not below ${JSON.stringify(this.#podsRoot)}`;
    throw new AgentError('invalid-argument', `cannot ${action} cgroup ${JSON.stringify(path)}: ${why}`);
  }
}

/** From the top down, because a child can only have what its parent hands down. */
async function ensureUnified(root: string, path: string): Promise<string[]> {
  const controllers = await readWords(join(root, 'cgroup.controllers'));
  const warnings: string[] = [];
  let directory = root;
  for (const component of path.split('/').filter(Boolean)) {
    warnings.push(...(await handDown(directory, controllers)));
    directory = join(directory, component);
    await makeDirectory(directory, 0o755);
  }
  return warnings;
}

/** One refused controller must not cost the others: all at once, then one by one. */
async function handDown(directory: string, controllers: readonly string[]): Promise<string[]> {
  const file = join(directory, 'cgroup.subtree_control');
  const given = new Set(await readWords(file));
  const missing = controllers.filter((controller) => !given.has(controller)).map((name) => `+${name}`);
  if (missing.length === 0) return [];
  if ((await writeControl(file, missing.join(' '))) === undefined) return [];
  const warnings: string[] = [];
  for (const word of missing) {
    const warning = await writeControl(file, word);
    if (warning !== undefined) warnings.push(warning);
  }
  return warnings;
}

async function ensureInHierarchy(root: string, path: string, isCpuset: boolean): Promise<string[]> {
  if (!isCpuset) {
    await makeDirectory(join(root, path), 0o755);
    return [];
  }
  const warnings: string[] = [];
  let directory = root;
  for (const component of path.split('/').filter(Boolean)) {
    directory = join(directory, component);
    await makeDirectory(directory, 0o755);
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      warnings.push(...(await inheritCpuset(directory, file)));
  }
  return warnings;
}

/** A version 1 cpuset starts empty, and no process can enter an empty one. */
async function inheritCpuset(directory: string, file: string): Promise<string[]> {
  const own = await readWords(join(directory, file));
  const inherited = (await readWords(join(dirname(directory), file))).join('');
  if (own.length > 0 || inherited === '') return [];
  const warning = await writeControl(join(directory, file), inherited);
  return warning === undefined ? [] : [warning];
}

async function hasControllers(root: string, path: string): Promise<boolean> {
  const offered = new Set(await readWords(join(root, 'cgroup.controllers')));
  if (!(await isDirectory(join(root, path)))) return false;
  const own = new Set(await readWords(join(root, path, 'cgroup.controllers')));
  return NEEDED.every((controller) => !offered.has(controller) || own.has(controller));
}

/** The words of a control file; none when it cannot be read. */
async function readWords(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split(/\s+/).filter(Boolean);
  } catch {
    return [];
  }
}

/** Undefined when written, else the refusal as a warning. Never creates the file: the kernel does. */
async function writeControl(file: string, value: string): Promise<string | undefined> {
  try {
    const handle = await open(file, constants.O_WRONLY);
    try {
      await handle.write(value);
    } finally {
      await handle.close();
    }
    return undefined;
  } catch (error) {
    return toHostError(`write ${JSON.stringify(value)} to`, file, error).message;
  }
}

async function listChildren(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return false;
    throw toHostError('look at cgroup', path, error);
  }
}
