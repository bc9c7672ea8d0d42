/**
 * Logs cgroup values the kernel refused, once per control file and reason:
 * on a machine that lacks a right, every pod would repeat the same line.
 */
import { basename } from 'node:path';
import type { Logger } from '../../base/log.ts';
import type { CgroupRefusal } from '../../ports/host/cgroups.ts';

export class CgroupRefusals {
  readonly #logger: Logger;
  readonly #reported = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(path: string, refusals: readonly CgroupRefusal[]): void {
    for (const { control, message } of refusals) {
      // The message names the file, and the reason behind it may name the cgroup; the rest is the same for all pods.
      const reason = message.slice(message.lastIndexOf(': ')).replaceAll(basename(path), '');
      const key = `${control} ${reason}`;
      if (this.#reported.has(key)) continue;
      this.#reported.add(key);
      this.#logger.warn('cgroup value refused, pods run without it; logged once', {
        cgroup: path,
        control,
        err: message,
      });
    }
  }
}
