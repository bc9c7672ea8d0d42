/**
 * Notices, by inotify, that a cgroup of version 2 met its own memory limit: the
 * kernel marks `memory.events.local` as changed then. Limits of the cgroups
 * below it, such as of single pods, do not count there. Version 1 reports such
 * things through descriptors only that Node cannot make.
 */
import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { PodMemoryLimit } from '../../../ports/host/pod-memory-limit.ts';
import { toHostError } from '../host-error.ts';

/** Allocations that had to wait for memory of the cgroup, or were refused. */
const COUNTERS = /^(?:max|oom) (\d+)$/gm;

export class CgroupMemoryLimit implements PodMemoryLimit {
  readonly #file: string;

  /** `directory` is that of the cgroup. */
  constructor(directory: string) {
    this.#file = join(directory, 'memory.events.local');
  }

  watch(onMet: () => void): Disposable {
    try {
      let seen = this.#count();
      const watcher = watch(this.#file, { persistent: false }, () => {
        const count = this.#countOr(seen);
        // The file has other counters too.
        if (count > seen) onMet();
        seen = count;
      });
      watcher.on('error', () => watcher.close());
      return { [Symbol.dispose]: () => watcher.close() };
    } catch (error) {
      throw toHostError('watch', this.#file, error);
    }
  }

  /** A cgroup that was removed reports nothing any more. */
  #countOr(before: number): number {
    try {
      return this.#count();
    } catch {
      return before;
    }
  }

  #count(): number {
    const text = readFileSync(this.#file, 'utf8');
    return [...text.matchAll(COUNTERS)].reduce((sum, [, digits]) => sum + Number(digits), 0);
  }
}
