/**
 * The files of container logs, from one to the next:
 *
 *   list ──► remove surplus files ──► rename ──► reopen ──failed──► rename back
 *                                                   └──► compress what was kept, later
 *
 * Files are removed before anything needs room on the disk. Compressions run
 * beside all of it, so many at a time as the policy allows.
 */
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../base/async/clock.ts';
import { Gate } from '../../base/async/gate.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type LogRotationPolicy, planLogCleanUp, toRotatedName } from '../../core/collection/log-rotation.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import type { ContainerLogFiles } from '../../ports/runtime/container-log-files.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';

export interface LogRotatorParts {
  readonly runtime: Pick<ContainerRuntime, 'reopenContainerLog'>;
  readonly logFiles: ContainerLogFiles;
  readonly policy: LogRotationPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ContainerLog {
  readonly id: ContainerId;
  readonly podUid: PodUid;
  readonly path: string;
  /** Rotated files that are being compressed or wait for it. */
  readonly compressing: Set<string>;
}

export class LogGenerations {
  readonly #parts: LogRotatorParts;
  readonly #compressors: Gate;
  readonly #begin: (work: Promise<void>) => void;

  /** `begin` takes over work that nothing waits for but the end of the agent. */
  constructor(parts: LogRotatorParts, begin: (work: Promise<void>) => void) {
    this.#parts = parts;
    this.#begin = begin;
    this.#compressors = new Gate(parts.policy.maxWorkers);
  }

  /** Returns how large the file was in the end that was rotated. */
  async rotate(log: ContainerLog, stop: AbortSignal): Promise<number | undefined> {
    const { clock, logger, logFiles, policy } = this.#parts;
    const names = await logFiles.listRotated(log.path);
    const { remove, compress } = planLogCleanUp(names, policy.maxFiles, log.compressing);
    for (const name of remove) await logFiles.remove(log.path, name);
    const base = basename(log.path);
    const rotated = toRotatedName(base, clock.now(), names);
    await logFiles.rename(log.path, base, rotated);
    await this.#reopen(log, rotated, stop);
    logger.debug({ file: 'log-generations', level: 2 }, 'container log rotated', {
      ...fieldsOf(log),
      rotated,
    });
    for (const name of compress) this.#begin(this.#compress(log, name, stop));
    return logFiles.size(join(dirname(log.path), rotated));
  }

  async #reopen(log: ContainerLog, rotated: string, signal: AbortSignal): Promise<void> {
    const { runtime, logFiles, logger } = this.#parts;
    try {
      await runtime.reopenContainerLog(log.id, { signal, label: 'log rotation' });
    } catch (error) {
      try {
        await logFiles.rename(log.path, rotated, basename(log.path));
      } catch (failed) {
        // The runtime has made a new file after all.
        if (!hasCode(failed, 'already-exists'))
          logger.error('cannot rename a rotated container log back', failed, { ...fieldsOf(log), rotated });
      }
      throw error;
    }
  }

  /** Never rejects: a file that cannot be compressed now is tried again at the next rotation. */
  async #compress(log: ContainerLog, name: string, stop: AbortSignal): Promise<void> {
    const { logFiles, logger } = this.#parts;
    log.compressing.add(name);
    try {
      await this.#compressors.run(0, stop, () => logFiles.compress(log.path, name, stop));
    } catch (error) {
      // One that waited so long that it was removed has nothing to compress.
      if (!stop.aborted && !hasCode(error, 'not-found'))
        logger.warn('cannot compress a rotated log', { ...fieldsOf(log), name, err: errorText(error) });
    } finally {
      log.compressing.delete(name);
    }
  }
}

export function fieldsOf({ podUid, id, path }: ContainerLog): Record<string, string> {
  return { podUid, containerId: id, path };
}
