/**
 * Which cgroup processes of the machine are in: the agent's own, and those
 * in the root cgroup. Moved where the administrator wants them, so that
 * what is kept for the system is what the system uses.
 */
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, toHostError } from '../host-error.ts';
import { readWords, writeControl } from './cgroup-files.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { makeCgroup } from './make-cgroup.ts';

const PROCESSES = 'cgroup.procs';
/** New processes may come while others are moved. */
const MAX_ROUNDS = 11;

export interface ProcessCgroupsParts {
  readonly layout: CgroupLayout;
  readonly processes?: string;
}

export class ProcessCgroups {
  readonly #layout: CgroupLayout;
  readonly #processes: string;

  constructor({ layout, processes = '/proc' }: ProcessCgroupsParts) {
    this.#layout = layout;
    this.#processes = processes;
  }

  /** Moves one process, into a cgroup that is made if missing. Rejects with AgentError. */
  async move(pid: number, path: string): Promise<void> {
    await this.#make(path);
    await this.#put(pid, path);
  }

  /** Moves every process of the root cgroup but the first and the kernel's own; rejects with AgentError when some stay. */
  async moveFromRoot(path: string): Promise<void> {
    await this.#make(path);
    let problem: unknown;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const pids = await this.#listMovable();
      if (pids.length === 0) return;
      problem = undefined;
      for (const pid of pids)
        await this.#put(pid, path).catch((error: unknown) => {
          problem = error;
        });
    }
    if (problem !== undefined) throw problem;
  }

  async #make(path: string): Promise<void> {
    try {
      await makeCgroup(this.#layout, path);
    } catch (error) {
      throw toHostError('create cgroup', path, error);
    }
  }

  /** In every tree; one that has ended meanwhile is where it should be. */
  async #put(pid: number, path: string): Promise<void> {
    for (const root of this.#roots()) {
      const refused = await writeControl(join(root, path, PROCESSES), String(pid));
      if (refused !== undefined && !hasErrno(refused.cause, 'ESRCH')) throw refused;
    }
  }

  async #listMovable(): Promise<number[]> {
    const found = await Promise.all(this.#roots().map((root) => readWords(join(root, PROCESSES))));
    const pids = [...new Set(found.flat().map(Number))].filter((pid) => pid > 1);
    const movable: number[] = [];
    for (const pid of pids) if (!(await this.#isKernel(pid))) movable.push(pid);
    return movable;
  }

  /** The kernel's own processes have no program. */
  async #isKernel(pid: number): Promise<boolean> {
    return readlink(join(this.#processes, String(pid), 'exe')).then(
      () => false,
      (error: unknown) => hasErrno(error, 'ENOENT'),
    );
  }

  #roots(): string[] {
    return this.#layout.version === 2
      ? [this.#layout.root]
      : this.#layout.hierarchies.map(({ directory }) => directory);
  }
}
