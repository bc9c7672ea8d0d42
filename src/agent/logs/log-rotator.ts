/**
 * Keeps the logs of running containers within their size. It learns from each
 * reading of a pod which logs there are, looks at each when it can be full
 * (core/collection/log-pace.ts), and rotates those that are:
 *
 *   look ──missing──► reopen ──► look          (an agent was killed between rename and reopen)
 *     └──full──► remove surplus files ──► rename ──► reopen ──failed──► rename back
 *                                                      └──► compress what was kept, later
 *
 * Invariants: one look or rotation per log at a time; one timer for all of
 * them; what hangs or fails for one log delays no other; files are removed
 * before anything needs room on the disk.
 */
import { basename } from 'node:path';
import type { Clock } from '../../base/async/clock.ts';
import { Gate } from '../../base/async/gate.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import {
  computeLogPace,
  isLogFull,
  type LogPace,
  restartLogPace,
  toNextLookMs,
} from '../../core/collection/log-pace.ts';
import { type LogRotationPolicy, planLogCleanUp, toRotatedName } from '../../core/collection/log-rotation.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import type { ContainerLogFiles } from '../../ports/runtime/container-log-files.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';

export interface LogRotatorParts {
  readonly runtime: Pick<ContainerRuntime, 'reopenContainerLog'>;
  readonly logFiles: ContainerLogFiles;
  readonly policy: LogRotationPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface WatchedLog {
  readonly id: ContainerId;
  readonly podUid: PodUid;
  readonly path: string;
  pace: LogPace | undefined;
  nextLookMs: number;
  isBusy: boolean;
  /** How long its last rotation took. */
  leadMs: number;
  /** Rotated files that are being compressed or wait for it. */
  readonly compressing: Set<string>;
}

export class LogRotator {
  readonly name = 'log rotation';
  readonly #parts: LogRotatorParts;
  readonly #mailbox: Mailbox;
  readonly #compressors: Gate;
  readonly #logs = new Map<ContainerId, WatchedLog>();
  /** Looks and compressions under way. */
  readonly #work = new Set<Promise<void>>();

  constructor(parts: LogRotatorParts) {
    this.#parts = parts;
    this.#mailbox = new Mailbox(parts.clock);
    this.#compressors = new Gate(parts.policy.maxWorkers);
  }

  /** The pod was read from the runtime, with the details of its containers. */
  noteRead({ uid, containers }: ObservedPod): void {
    const running = new Set<ContainerId>();
    for (const { id, state, details } of containers) {
      if (state !== 'running' || details === undefined || details.logPath === '') continue;
      running.add(id);
      if (!this.#logs.has(id)) this.#watch(id, uid, details.logPath);
    }
    for (const { id, podUid } of this.#logs.values())
      if (podUid === uid && !running.has(id)) this.#logs.delete(id);
  }

  podGone({ uid }: { readonly uid: PodUid }): void {
    for (const { id, podUid } of this.#logs.values()) if (podUid === uid) this.#logs.delete(id);
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!stop.aborted) {
      const idle = [...this.#logs.values()].filter(({ isBusy }) => !isBusy);
      const nowMs = clock.now();
      for (const log of idle) {
        if (log.nextLookMs <= nowMs) this.#begin(this.#look(log, stop));
      }
      const next = idle.filter(({ isBusy }) => !isBusy).map(({ nextLookMs }) => nextLookMs);
      await this.#mailbox.wait(stop, next.length === 0 ? undefined : Math.min(...next));
    }
    await Promise.all(this.#work);
  }

  #begin(work: Promise<void>): void {
    const done = work.finally(() => this.#work.delete(done));
    this.#work.add(done);
  }

  #watch(id: ContainerId, podUid: PodUid, path: string): void {
    const nextLookMs = this.#parts.clock.now();
    const log = {
      id,
      podUid,
      path,
      pace: undefined,
      nextLookMs,
      isBusy: false,
      leadMs: 0,
      compressing: new Set<string>(),
    };
    this.#logs.set(id, log);
    this.#mailbox.post('log');
  }

  /** Never rejects. */
  async #look(log: WatchedLog, stop: AbortSignal): Promise<void> {
    const { clock, logger, policy } = this.#parts;
    log.isBusy = true;
    const startedMs = clock.now();
    const limits = { ...policy, leadMs: log.leadMs };
    try {
      const sizeBytes = await this.#readSize(log, stop);
      log.pace = computeLogPace(log.pace, sizeBytes, clock.now(), limits);
      if (isLogFull(log.pace, limits)) {
        await this.#rotate(log, stop);
        log.leadMs = clock.now() - startedMs;
        log.pace = restartLogPace(log.pace, clock.now(), { ...policy, leadMs: log.leadMs });
      }
      log.nextLookMs = toNextLookMs(log.pace, policy);
    } catch (error) {
      log.nextLookMs = clock.now() + policy.monitorIntervalMs;
      if (!stop.aborted && this.#logs.has(log.id))
        logger.warn('cannot rotate a container log', { ...fieldsOf(log), err: errorText(error) });
    } finally {
      log.isBusy = false;
      this.#mailbox.post('looked');
    }
  }

  async #readSize(log: WatchedLog, signal: AbortSignal): Promise<number> {
    const { runtime, logFiles, logger } = this.#parts;
    const size = await logFiles.size(log.path);
    if (size !== undefined) return size;
    logger.info('container log is missing, the runtime is asked to reopen it', fieldsOf(log));
    await runtime.reopenContainerLog(log.id, { signal, label: 'log rotation' });
    return (await logFiles.size(log.path)) ?? 0;
  }

  async #rotate(log: WatchedLog, stop: AbortSignal): Promise<void> {
    const { clock, logger, logFiles, policy } = this.#parts;
    const base = basename(log.path);
    const names = await logFiles.listRotated(log.path);
    const { remove, compress } = planLogCleanUp(names, policy.maxFiles, log.compressing);
    for (const name of remove) await logFiles.remove(log.path, name);
    const rotated = toRotatedName(base, clock.now(), names);
    await logFiles.rename(log.path, base, rotated);
    await this.#reopen(log, rotated, stop);
    logger.debug(2, 'container log rotated', { ...fieldsOf(log), rotated });
    for (const name of compress) this.#begin(this.#compress(log, name, stop));
  }

  async #reopen(log: WatchedLog, rotated: string, signal: AbortSignal): Promise<void> {
    const { runtime, logFiles, logger } = this.#parts;
    try {
      await runtime.reopenContainerLog(log.id, { signal, label: 'log rotation' });
    } catch (error) {
      try {
        await logFiles.rename(log.path, rotated, basename(log.path));
      } catch (failed) {
        // The runtime has made a new file after all.
        if (!hasCode(failed, 'already-exists'))
          logger.error('cannot give a container log its name back', failed, { ...fieldsOf(log), rotated });
      }
      throw error;
    }
  }

  /** Never rejects: a file that cannot be compressed now is tried again at the next rotation. */
  async #compress(log: WatchedLog, name: string, stop: AbortSignal): Promise<void> {
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

function fieldsOf({ podUid, id, path }: WatchedLog): Record<string, string> {
  return { podUid, containerId: id, path };
}
