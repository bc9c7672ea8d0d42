/**
 * Lets the kernel count what is in a directory, by a project quota that limits
 * nothing (gate LocalStorageCapacityIsolationFSQuotaMonitoring). Through the
 * program `xfs_quota`, for xfs and ext4 that count by projects. The files of
 * the system say which directory has which id, also after a start.
 */
import { join } from 'node:path';
import { Mutex } from '../../../base/async/mutex.ts';
import { AgentError } from '../../../base/errors.ts';
import type { FilesSample } from '../../../core/stats/samples.ts';
import {
  findProjectId,
  hasAccounting,
  listFreeIds,
  type ProjectFiles,
  parseQuotaUse,
  withoutProject,
  withProject,
} from '../../../core/volume/project-quota.ts';
import { replaceFile } from '../../linux/files/atomic-file.ts';
import { holdLockFile } from '../../linux/files/lock-file.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import { findCoveringMount, type MountPoint, parseMountinfo, readMountTable } from '../../linux/mountinfo.ts';
import { runProgram } from '../../linux/program/run-program.ts';
import { lstat, readFile, realpath } from '../../linux/storage/storage-fs.ts';

/** As much as each can count: nothing is ever refused. */
const LARGEST: Readonly<Record<string, string>> = {
  xfs: '9223372036854775807',
  ext4: '288230376151711743',
};
/** Ids that no file names may be in use all the same; so many are tried. */
const MAX_TRIES = 128;
const FILE_MODE = 0o644;
const KIB = 1024;

export interface ProjectQuotasParts {
  /** Where the agent keeps files of its own. */
  readonly ownDirectory: string;
  readonly etc?: string;
  readonly run?: typeof runProgram;
  readonly readMounts?: () => Promise<string>;
}

export class ProjectQuotas {
  readonly #parts: Required<ProjectQuotasParts>;
  readonly #mutex = new Mutex();
  /** The program's table is one file, which the next call may need for another mount. */
  readonly #asking = new Mutex();
  /** By mount: whether it counts. */
  readonly #counts = new Map<string, boolean>();
  /** What the table of the program holds. */
  #table = '';

  constructor(parts: ProjectQuotasParts) {
    this.#parts = { etc: '/etc', run: runProgram, readMounts: readMountTable, ...parts };
  }

  /**
   * Gives the directory an id, unless it has one. False where its file system does not count by projects. Rejects
   * with AgentError. `hasLimit` as upstream has it: a volume without one gets no quota that could be reported.
   */
  async assign(directory: string, hasLimit: boolean, signal: AbortSignal): Promise<boolean> {
    const mount = await this.#findMount(directory, signal);
    if (mount === undefined) return false;
    return this.#change(signal, async (files) => {
      if (findProjectId(files, directory) !== undefined) return files;
      const id = await this.#findUnused(mount, files, signal);
      const limit = hasLimit ? LARGEST[mount.fsType] : '0';
      await this.#ask(mount, `limit -p bhard=${limit} bsoft=${limit} ${id}`, signal);
      await this.#ask(mount, `project -s -p ${directory} ${id}`, signal);
      return withProject(files, id, directory);
    });
  }

  /** Undefined for a directory without an id. Rejects with AgentError. */
  async read(directory: string, signal: AbortSignal): Promise<FilesSample | undefined> {
    const id = findProjectId(await this.#readFiles(), directory);
    const mount = id === undefined ? undefined : await this.#findMount(directory, signal);
    if (mount === undefined || id === undefined) return undefined;
    const [blocks, inodesUsed] = [
      await this.#use(mount, 'b', id, signal),
      await this.#use(mount, 'i', id, signal),
    ];
    return { usedBytes: blocks * KIB, inodesUsed };
  }

  /** Takes the id back; nothing to take is success. Rejects with AgentError. */
  async clear(directory: string, signal: AbortSignal): Promise<void> {
    if (findProjectId(await this.#readFiles(), directory) === undefined) return;
    const mount = await this.#findMount(directory, signal);
    await this.#change(signal, async (files) => {
      const id = findProjectId(files, directory);
      if (id === undefined) return files;
      // A quota that stays limits nothing; the lines must go, or the id is lost.
      if (mount !== undefined)
        await this.#ask(mount, `limit -p bhard=0 bsoft=0 ${id}`, signal).catch(() => {});
      return withoutProject(files, id, directory);
    });
  }

  async #findUnused(mount: MountPoint, files: ProjectFiles, signal: AbortSignal): Promise<number> {
    for (const id of listFreeIds(files, MAX_TRIES)) {
      const isUsed =
        (await this.#use(mount, 'b', id, signal)) > 0 || (await this.#use(mount, 'i', id, signal)) > 0;
      if (!isUsed) return id;
    }
    throw new AgentError('resource-exhausted', 'assign quota FAILED: no project id is free');
  }

  /** xfs says nothing at all about an id that has nothing. */
  async #use(mount: MountPoint, what: 'b' | 'i', id: number, signal: AbortSignal): Promise<number> {
    const text = await this.#ask(mount, `quota -p -N -n -v -${what} ${id}`, signal);
    if (text === '' && mount.fsType === 'xfs') return 0;
    const use = parseQuotaUse(text);
    if (use === undefined)
      throw new AgentError('unknown', `unable to parse quota output ${JSON.stringify(text)}`);
    return use;
  }

  /** Undefined where nothing is counted by projects, or the place cannot be named to the program. */
  async #findMount(directory: string, signal: AbortSignal): Promise<MountPoint | undefined> {
    if (/[\s"'\\#]/.test(directory)) return undefined;
    const real = await realpath(directory).catch(() => undefined);
    if (real === undefined) return undefined;
    const mount = findCoveringMount(parseMountinfo(await this.#parts.readMounts()), real);
    if (mount === undefined || LARGEST[mount.fsType] === undefined || /\s/.test(mount.path)) return undefined;
    const counts = this.#counts.get(mount.id) ?? (await this.#readCounting(mount, signal));
    this.#counts.set(mount.id, counts);
    return counts ? mount : undefined;
  }

  async #readCounting(mount: MountPoint, signal: AbortSignal): Promise<boolean> {
    try {
      return hasAccounting(await this.#ask(mount, 'state -p', signal));
    } catch (error) {
      signal.throwIfAborted();
      // Such as no program: volumes are counted file by file then.
      if (error instanceof AgentError) return false;
      throw error;
    }
  }

  #ask(mount: MountPoint, command: string, signal: AbortSignal): Promise<string> {
    return this.#asking.run(() => this.#askNow(mount, command, signal));
  }

  /** The program gets a mount table of one line: others may hang. */
  async #askNow({ source, path, fsType }: MountPoint, command: string, signal: AbortSignal): Promise<string> {
    const { ownDirectory, run } = this.#parts;
    const table = join(ownDirectory, 'quota-mounts');
    const content = `${source} ${path} ${fsType} rw,prjquota 0 0\n`;
    if (this.#table !== content)
      await replaceFile(table, { content, mode: 0o600, isPassing: true }).catch((error: unknown) => {
        throw toHostError('write', table, error);
      });
    this.#table = content;
    const args = ['-t', table, '-P/dev/null', '-D/dev/null', '-x', '-f', path, '-c', command];
    return run('xfs_quota', args, 'ask for quotas of', path, { signal });
  }

  async #change(signal: AbortSignal, work: (files: ProjectFiles) => Promise<ProjectFiles>): Promise<boolean> {
    const { etc } = this.#parts;
    return this.#mutex.run(async () => {
      const locks = [];
      try {
        for (const name of ['projects', 'projid']) locks.push(await holdLockFile(join(etc, name), signal));
        const files = await this.#readFiles();
        const changed = await work(files);
        for (const name of ['projid', 'projects'] as const)
          if (changed[name] !== files[name])
            await replaceFile(join(etc, name), { content: changed[name], mode: FILE_MODE });
        return true;
      } catch (error) {
        throw toHostError('change', join(etc, 'projects'), error);
      } finally {
        for (const lock of locks) await lock.close();
      }
    });
  }

  async #readFiles(): Promise<ProjectFiles> {
    const { etc } = this.#parts;
    const [projects, projid] = [
      await readPlainFile(join(etc, 'projects')),
      await readPlainFile(join(etc, 'projid')),
    ];
    return { projects, projid };
  }
}

/** Empty when it is missing. A link is not followed: it is replaced by name later. */
async function readPlainFile(path: string): Promise<string> {
  try {
    if (!(await lstat(path)).isFile())
      throw new AgentError('failed-precondition', `${path} exists but is not a plain file, cannot continue`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return '';
    throw toHostError('read', path, error);
  }
}
