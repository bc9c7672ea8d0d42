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
import { noticeMounts, noticeUnmount, realpath } from '../storage/storage-fs.ts';
import { isInMemory } from '../storage/storage-mounts.ts';
import { SharedUnmounts } from './shared-unmounts.ts';

/** Those that another program may mount (`--experimental-mounter-path`). */
const NETWORK_TYPES: ReadonlySet<string> = new Set(['nfs', 'glusterfs', 'ceph', 'cifs']);

export interface LinuxMounterParts {
  readonly readMounts?: () => Promise<string>;
  /** A program that mounts file systems of the network in place of mount(8); empty for none. */
  readonly networkMounter?: string;
}

export class LinuxMounter implements Mounter {
  readonly #readMounts: () => Promise<string>;
  readonly #networkMounter: string;
  readonly #inMemory = new SharedUnmounts(unmountAll);
  /** As it was read last. */
  #table = '';

  constructor({ readMounts = readMountTable, networkMounter = '' }: LinuxMounterParts = {}) {
    this.#readMounts = readMounts;
    this.#networkMounter = networkMounter;
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

  async mount({ fsType, source, target, options }: MountRequest, signal?: AbortSignal): Promise<void> {
    const list = options.length > 0 ? ['-o', options.join(',')] : [];
    const args = ['-t', fsType, ...list, '--', source, target];
    const isRemote = this.#networkMounter !== '' && NETWORK_TYPES.has(fsType);
    const through = isRemote ? this.#networkMounter : undefined;
    // Each pod with a token mounts one: where file systems may hang need not be looked at again for it.
    const mount = isInMemory(fsType) ? runProgram : run;
    await mount('mount', args, `mount ${fsType} at`, target, { signal, through });
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

  async unmount(target: string, signal?: AbortSignal, force = false): Promise<void> {
    try {
      const place = await readRealName(target);
      // Who unmounts has just looked what is mounted. With others, or alone after all to learn what is wrong with this one.
      const isQuick = !force && isInMemory(findFsTypeAt(this.#table, place) ?? '');
      if (isQuick && (await this.#inMemory.unmount(place))) return;
      // umount(8) itself would look at the place to learn its real name, and wait for a server that is gone.
      const args = ['--no-canonicalize', ...(force ? ['-f'] : []), '--', place];
      await runProgram('umount', args, 'unmount', target, { signal }).finally(() => noticeUnmount(place));
    } catch (error) {
      const gone = (await this.mountsBelow(target)).every((path) => path !== target);
      if (!gone || signal?.aborted) throw error;
    }
  }
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
