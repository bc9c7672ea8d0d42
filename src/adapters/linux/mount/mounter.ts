/**
 * Mounts through the host's mount(8) and umount(8), started with an argument
 * list and never through a shell. What is mounted is read from the kernel's
 * table, which is the truth after a crash as well.
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Mounter, MountRequest } from '../../../ports/host/mounter.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { runProgram } from '../program/run-program.ts';
import { PASSED_DESCRIPTOR } from '../program/start-program.ts';
import { realpath } from '../storage/storage-fs.ts';
import { findMountsBelow, parseMountinfo } from './mountinfo.ts';

export interface LinuxMounterParts {
  readonly readMounts?: () => Promise<string>;
}

export class LinuxMounter implements Mounter {
  readonly #readMounts: () => Promise<string>;

  constructor({ readMounts = () => readFile('/proc/self/mountinfo', 'utf8') }: LinuxMounterParts = {}) {
    this.#readMounts = readMounts;
  }

  async mountsBelow(path: string): Promise<string[]> {
    try {
      // The table knows places by their real names only. The place itself is not looked at: its server may be dead.
      const real = join(await realpath(dirname(path)), basename(path));
      const found = findMountsBelow(parseMountinfo(await this.#readMounts()), real);
      return found.map((mount) => path + mount.slice(real.length));
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return [];
      throw toHostError('look for mounts below', path, error);
    }
  }

  async mount({ fsType, source, target, options }: MountRequest, signal?: AbortSignal): Promise<void> {
    const list = options.length > 0 ? ['-o', options.join(',')] : [];
    await runProgram('mount', ['-t', fsType, ...list, '--', source, target], `mount ${fsType} at`, target, {
      signal,
    });
  }

  async bind(descriptor: number, target: string, signal?: AbortSignal): Promise<void> {
    // Without the flag mount(8) would turn the descriptor back into a name, which may lead elsewhere by now.
    const args = ['--no-canonicalize', '-o', 'bind', '--', `/proc/self/fd/${PASSED_DESCRIPTOR}`, target];
    await runProgram('mount', args, 'bind', target, { descriptor, signal });
  }

  async remount(target: string, options: readonly string[], signal?: AbortSignal): Promise<void> {
    const args = ['--no-canonicalize', '-o', ['bind', 'remount', ...options].join(','), '--', target];
    await runProgram('mount', args, 'remount', target, { signal });
  }

  async unmount(target: string, signal?: AbortSignal, force = false): Promise<void> {
    try {
      await runProgram('umount', [...(force ? ['-f'] : []), '--', target], 'unmount', target, { signal });
    } catch (error) {
      const gone = (await this.mountsBelow(target)).every((path) => path !== target);
      if (!gone || signal?.aborted) throw error;
    }
  }
}
