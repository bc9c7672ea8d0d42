/**
 * Mounts through the host's mount(8) and umount(8), started with an argument
 * list and never through a shell. What is mounted is read from the kernel's
 * table, which is the truth after a crash as well.
 */
import { basename, dirname, join } from 'node:path';
import type { Mounter, MountRequest } from '../../../ports/host/mounter.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { findFsTypeAt, listMountsBelow, readMountTable } from '../mountinfo.ts';
import { runProgram } from '../program/run-program.ts';
import { PASSED_DESCRIPTOR } from '../program/start-program.ts';
import { noticeMounts, noticeUnmount, realpath, writeFile } from '../storage/storage-fs.ts';
import { isInMemory } from '../storage/storage-mounts.ts';
import { fitsMountList, renderMountList } from './mount-list.ts';
import { SharedProgram } from './shared-program.ts';

/** Those that another program may mount (`--experimental-mounter-path`). */
const NETWORK_TYPES: ReadonlySet<string> = new Set(['nfs', 'glusterfs', 'ceph', 'cifs']);
/** Mounts that many wait for: each of them is tried by itself when they have not come about by then. */
const SHARED_MOUNT_MS = 10_000;

export interface LinuxMounterParts {
  readonly readMounts?: () => Promise<string>;
  /** A program that mounts file systems of the network in place of mount(8); empty for none. */
  readonly networkMounter?: string;
  /** A file of the agent's own with which one program mounts many; absent: each mount has a program. */
  readonly listFile?: string;
}

export class LinuxMounter implements Mounter {
  readonly #readMounts: () => Promise<string>;
  readonly #networkMounter: string;
  readonly #unmounts = new SharedProgram(unmountAll);
  readonly #mounts = new SharedProgram<MountRequest>((mounts) => this.#mountAll(mounts));
  /** Where this process has mounted file systems in memory. */
  readonly #inMemory = new Set<string>();
  /** Undefined as well where mount(8) turns out to take no list. */
  #listFile: string | undefined;
  /** As it was read last. */
  #table = '';

  constructor({ readMounts = readMountTable, networkMounter = '', listFile }: LinuxMounterParts = {}) {
    this.#readMounts = readMounts;
    this.#networkMounter = networkMounter;
    this.#listFile = listFile;
  }

  async mountsBelow(path: string): Promise<string[]> {
    try {
      // The table knows places by their real names only.
      const real = await readRealName(path);
      this.#table = await this.#readMounts();
      const found = listMountsBelow(this.#table, real);
      return found.map((mount) => path + mount.slice(real.length));
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return [];
      throw toHostError('look for mounts below', path, error);
    }
  }

  async mount(request: MountRequest, signal?: AbortSignal): Promise<void> {
    const { fsType, target } = request;
    if (isInMemory(fsType)) return this.#mountInMemory(request, signal);
    const isRemote = this.#networkMounter !== '' && NETWORK_TYPES.has(fsType);
    const through = isRemote ? this.#networkMounter : undefined;
    await run('mount', toArguments(request), `mount ${fsType} at`, target, { signal, through });
  }

  async bind(descriptor: number, target: string, signal?: AbortSignal): Promise<void> {
    // Without the flag mount(8) would turn the descriptor back into a name, which may lead elsewhere by now.
    const args = ['--no-canonicalize', '-o', 'bind', '--', `/proc/self/fd/${PASSED_DESCRIPTOR}`, target];
    await run('mount', args, 'bind', target, { descriptor, signal });
  }

  async remount(target: string, options: readonly string[], signal?: AbortSignal): Promise<void> {
    const args = ['--no-canonicalize', '-o', ['bind', 'remount', ...options].join(','), '--', target];
    await run('mount', args, 'remount', target, { signal });
  }

  async unmountMemory(target: string): Promise<boolean> {
    if (!this.#inMemory.delete(target)) return false;
    try {
      return await this.#unmounts.share(await readRealName(target));
    } catch {
      return false;
    }
  }

  async unmount(target: string, signal?: AbortSignal, force = false): Promise<void> {
    this.#inMemory.delete(target);
    try {
      const place = await readRealName(target);
      // Who unmounts has just looked what is mounted. With others, or alone after all to learn what is wrong with this one.
      const isQuick = !force && isInMemory(findFsTypeAt(this.#table, place) ?? '');
      if (isQuick && (await this.#unmounts.share(place))) return;
      // umount(8) itself would look at the place to learn its real name, and wait for a server that is gone.
      const args = ['--no-canonicalize', ...(force ? ['-f'] : []), '--', place];
      await runProgram('umount', args, 'unmount', target, { signal }).finally(() => noticeUnmount(place));
    } catch (error) {
      const gone = (await this.mountsBelow(target)).every((path) => path !== target);
      if (!gone || signal?.aborted) throw error;
    }
  }

  /** Each pod with a token has one: where file systems may hang need not be looked at again for it. */
  async #mountInMemory(request: MountRequest, signal: AbortSignal | undefined): Promise<void> {
    await this.#mountAlike(request, signal);
    this.#inMemory.add(request.target);
  }

  /** With others that are asked for meanwhile, where that is possible. */
  async #mountAlike(request: MountRequest, signal: AbortSignal | undefined): Promise<void> {
    const { fsType, target } = request;
    const isShared = this.#listFile !== undefined && signal?.aborted !== true && fitsMountList(request);
    if (isShared) {
      if (await this.#mounts.share(request)) return;
      // Of several mounts the program may have made this one.
      if ((await this.mountsBelow(target)).includes(target)) return;
    }
    // Alone, after all to learn what is wrong with this one.
    await runProgram('mount', toArguments(request), `mount ${fsType} at`, target, { signal });
    if (isShared) this.#listFile = undefined;
  }

  async #mountAll(mounts: readonly MountRequest[]): Promise<void> {
    const [first] = mounts;
    if (first === undefined || this.#listFile === undefined)
      throw new Error('there is nothing to mount with');
    const args = mounts.length === 1 ? toArguments(first) : ['-a', '-T', this.#listFile];
    if (mounts.length > 1) await writeFile(this.#listFile, renderMountList(mounts), { mode: 0o600 });
    const signal = AbortSignal.timeout(SHARED_MOUNT_MS);
    await runProgram('mount', args, 'mount in memory at', mounts.map(({ target }) => target).join(', '), {
      signal,
    });
  }
}

function toArguments({ fsType, source, target, options }: MountRequest): string[] {
  const list = options.length > 0 ? ['-o', options.join(',')] : [];
  return ['-t', fsType, ...list, '--', source, target];
}

async function unmountAll(places: readonly string[]): Promise<void> {
  await runProgram('umount', ['--no-canonicalize', '--', ...places], 'unmount', places.join(', '));
}

/** The place itself is not looked at: its server may be dead. Rejects with the system's error. */
async function readRealName(path: string): Promise<string> {
  return join(await realpath(dirname(path)), basename(path));
}

/** The next file call finds out where file systems that may not answer are. */
async function run(...program: Parameters<typeof runProgram>): Promise<void> {
  try {
    await runProgram(...program);
  } finally {
    noticeMounts();
  }
}
