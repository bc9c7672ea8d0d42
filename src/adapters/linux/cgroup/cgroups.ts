/**
 * The agent's cgroups as directories of the cgroup file system, for both
 * versions. Version 1 has one tree per controller and all are kept alike;
 * version 2 has one tree where a parent must hand its controllers down.
 *
 * Invariant: nothing outside the cgroup that holds all pods is created or
 * removed, except missing parents of that cgroup; values are written besides
 * only to cgroups that were named at construction.
 */
import { rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, sleep } from '../../../base/async/clock.ts';
import { AgentError, hasCode } from '../../../base/errors.ts';
import type { CgroupValues } from '../../../core/resources/cgroup-values.ts';
import type { CgroupReading } from '../../../core/resources/plan-resize.ts';
import type { CgroupRefusal, EnsuredCgroup, PodCgroups } from '../../../ports/host/cgroups.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { type CgroupControl, toControlsV1, toControlsV2 } from './cgroup-controls.ts';
import {
  holdsOnlyMortals,
  listChildren,
  listProcesses,
  listProcessesBelow,
  writeControl,
} from './cgroup-files.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { readHierarchies, readUnified } from './cgroup-reading.ts';
import { isComplete, isThere, makeCgroup } from './make-cgroup.ts';

/** The kernel frees a cgroup a moment after its last process has gone. */
const BUSY_TRIES = 10;
const FIRST_BUSY_WAIT_MS = 1;
/** What has not died by then cannot be killed. */
const KILL_ROUNDS = 5;

export interface CgroupTreeSettings {
  readonly clock: Clock;
  readonly layout: CgroupLayout;
  /** The cgroup that holds all pods, such as `/kubepods`. */
  readonly podsRoot: string;
  /** Other cgroups that values may be written to. */
  readonly reserved?: readonly string[];
}

/** What the driver that asks systemd needs besides. */
export interface CgroupTree extends PodCgroups {
  /** SIGKILL for every process there and below. Resolves when none is left, or some do not go; rejects with AgentError. */
  kill(path: string): Promise<void>;
  /** Whatever its controllers. Throws AgentError. */
  isThere(path: string): boolean;
}

export class LinuxPodCgroups implements CgroupTree {
  readonly #clock: Clock;
  readonly #layout: CgroupLayout;
  readonly #podsRoot: string;
  readonly #reserved: readonly string[];

  constructor({ clock, layout, podsRoot, reserved = [] }: CgroupTreeSettings) {
    this.#clock = clock;
    this.#layout = layout;
    this.#podsRoot = podsRoot;
    this.#reserved = reserved;
  }

  async ensure(path: string): Promise<EnsuredCgroup> {
    this.#requirePodPath('create', path);
    const hadParent = isThere(this.#layout, dirname(path));
    try {
      return { warnings: await makeCgroup(this.#layout, path), hadParent };
    } catch (error) {
      throw toHostError('create cgroup', path, error);
    }
  }

  async apply(path: string, values: CgroupValues): Promise<readonly CgroupRefusal[]> {
    this.#requireKnownPath('write to', path);
    const controls = this.#layout.version === 2 ? toControlsV2(values) : toControlsV1(values);
    const refusals: CgroupRefusal[] = [];
    // In order: some values are checked against others of the same cgroup.
    for (const control of controls) {
      const root = this.#rootOf(control);
      // Such as huge pages, which many kernels do not have: nothing has to be reported.
      if (root === undefined && control.optional) continue;
      const error = await write(root, path, control);
      if (error === undefined || (control.optional && hasCode(error, 'not-found'))) continue;
      // Busy: more is in use than the new limit allows.
      const retryable = hasCode(error, 'unavailable');
      refusals.push({ control: control.file, message: error.message, retryable });
    }
    return refusals;
  }

  async read(path: string): Promise<CgroupReading> {
    this.#requireKnownPath('read', path);
    if (this.#layout.version === 2) return readUnified(join(this.#layout.root, path));
    const { hierarchies } = this.#layout;
    const directoryOf = (wanted: string): string =>
      join(
        hierarchies.find(({ controllers }) => controllers.includes(wanted))?.directory ?? '/dev/null',
        path,
      );
    return readHierarchies(directoryOf('cpu'), directoryOf('memory'));
  }

  async remove(path: string): Promise<void> {
    this.#requirePodPath('remove', path);
    try {
      await Promise.all(this.#roots().map((root) => this.#removeTree(join(root, path))));
    } catch (error) {
      throw toHostError('remove cgroup', path, error);
    }
  }

  async exists(path: string): Promise<boolean> {
    this.#requireKnownPath('look at', path);
    return isComplete(this.#layout, path);
  }

  isThere(path: string): boolean {
    this.#requireKnownPath('look at', path);
    return isThere(this.#layout, path);
  }

  async kill(path: string): Promise<void> {
    this.#requirePodPath('kill processes of', path);
    try {
      let waitMs = FIRST_BUSY_WAIT_MS;
      for (let round = 1; round <= KILL_ROUNDS && (await this.processes(path)).length > 0; round++) {
        for (const directory of this.#roots().map((root) => join(root, path)))
          if (!(await killTree(directory))) await killProcessesBelow(directory);
        await sleep(this.#clock, waitMs);
        waitMs *= 2;
      }
    } catch (error) {
      throw toHostError('kill processes of cgroup', path, error);
    }
  }

  async children(path: string): Promise<readonly string[]> {
    this.#requireKnownPath('list', path);
    try {
      const names = await Promise.all(this.#roots().map((root) => listChildren(join(root, path))));
      return [...new Set(names.flat())].map((name) => join(path, name));
    } catch (error) {
      throw toHostError('list cgroup', path, error);
    }
  }

  async processes(path: string): Promise<readonly number[]> {
    this.#requireKnownPath('look into', path);
    try {
      const found = await Promise.all(this.#roots().map((root) => listProcessesBelow(join(root, path))));
      return [...new Set(found.flat())];
    } catch (error) {
      throw toHostError('list processes of cgroup', path, error);
    }
  }

  #rootOf({ controller }: CgroupControl): string | undefined {
    if (this.#layout.version === 2) return this.#layout.root;
    return this.#layout.hierarchies.find(({ controllers }) => controllers.includes(controller))?.directory;
  }

  /** The version 2 tree beside version 1 belongs to it: the runtime may have made directories there. */
  #roots(): string[] {
    if (this.#layout.version === 2) return [this.#layout.root];
    const { hierarchies, unified } = this.#layout;
    return [...hierarchies.map(({ directory }) => directory), ...(unified === undefined ? [] : [unified])];
  }

  async #removeTree(directory: string): Promise<void> {
    // The runtime has usually removed what is below.
    if (tryRemove(directory, ['EBUSY', 'ENOTEMPTY'])) return;
    await killTree(directory);
    await this.#removeBelow(directory);
  }

  /** Deepest first: the kernel removes only a cgroup without children. What keeps it busy is killed. */
  async #removeBelow(directory: string): Promise<void> {
    if (tryRemove(directory, ['EBUSY', 'ENOTEMPTY'])) return;
    // Those in threaded cgroups are listed here, and not where they are.
    await killProcesses(directory);
    for (const child of await listChildren(directory)) await this.#removeBelow(join(directory, child));
    let waitMs = FIRST_BUSY_WAIT_MS;
    for (let tried = 1; ; tried++) {
      if (tryRemove(directory, tried > BUSY_TRIES ? [] : ['EBUSY'])) return;
      if (tried <= KILL_ROUNDS) await killProcesses(directory);
      await sleep(this.#clock, waitMs);
      waitMs *= 2;
    }
  }

  #requireKnownPath(action: string, path: string): void {
    if (path !== this.#podsRoot && !this.#reserved.includes(path)) this.#requirePodPath(action, path);
  }

  #requirePodPath(action: string, path: string): void {
    const below = path.startsWith(`${this.#podsRoot}/`) ? path.slice(this.#podsRoot.length + 1) : '';
    if (below.split('/').every((component) => component !== '' && component !== '.' && component !== '..'))
      return;
    const why = `it is not below ${JSON.stringify(this.#podsRoot)}`;
    throw new AgentError('invalid-argument', `cannot ${action} cgroup ${JSON.stringify(path)}: ${why}`);
  }
}

async function write(
  root: string | undefined,
  path: string,
  { controller, file, text }: CgroupControl,
): Promise<AgentError | undefined> {
  if (root !== undefined) return writeControl(join(root, path, file), text);
  return new AgentError('not-found', `cannot write ${JSON.stringify(file)}: no ${controller} controller`);
}

/** False when it fails in one of these ways. */
function tryRemove(directory: string, expected: readonly string[]): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return true;
    if (!hasErrno(error, ...expected)) throw error;
    return false;
  }
}

/** All at once, faster than any of them can start others. False where that would end us, and on a kernel without. */
async function killTree(directory: string): Promise<boolean> {
  if (!(await holdsOnlyMortals(directory))) return false;
  return (await writeControl(join(directory, 'cgroup.kill'), '1')) === undefined;
}

/** Processes left there have outlived their container, and nothing waits for them. */
async function killProcesses(directory: string): Promise<void> {
  for (const pid of await listProcesses(directory)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!hasErrno(error, 'ESRCH')) throw error;
    }
  }
}

async function killProcessesBelow(directory: string): Promise<void> {
  await killProcesses(directory);
  for (const child of await listChildren(directory)) await killProcessesBelow(join(directory, child));
}
