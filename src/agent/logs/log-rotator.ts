/**
 * Keeps the logs of running containers within their size. It learns from each
 * reading of a pod which logs there are, watches the writes of slow ones, looks
 * at each when it can be full (core/collection/log-pace.ts), and rotates those
 * that are (log-generations.ts). A log that is missing is reopened: an agent was
 * killed between rename and reopen.
 *
 * Invariants: one look or rotation per log at a time; one timer for all of
 * them; a watched log that is not written to costs nothing, one that is written
 * to slowly one look and at most {@link MAX_WAKE_UPS} wake-ups per interval; what
 * hangs or fails for one log delays no other. No event has to arrive for sure:
 * a log that grows causes the next one.
 */
import { Mailbox } from '../../base/async/mailbox.ts';
import { errorText } from '../../base/errors.ts';
import {
  computeLogPace,
  isLogFull,
  isLogQuick,
  type LogPace,
  type LogPaceLimits,
  QUICK_LOOK_MS,
  restartLogPace,
  toNextIntervalMs,
  toNextLookMs,
  toSafeMs,
} from '../../core/collection/log-pace.ts';
import { computeLogWrites, type LogWrites, needsLook } from '../../core/collection/log-writes.ts';
import { computeLeadMs, FIRST_LEAD_MS } from '../../core/collection/rotation-lead.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import { type ContainerLog, fieldsOf, LogGenerations, type LogRotatorParts } from './log-generations.ts';

interface WatchedLog extends ContainerLog {
  pace: LogPace | undefined;
  /** Infinity while it sleeps: it is watched, and is looked at once it is written to. */
  nextLookMs: number;
  isBusy: boolean;
  /** Of a slow log: what has been written since the last look, how often writes woke the agent since when, and what reports them. */
  writes: LogWrites | undefined;
  wakeUps: number;
  countedFromMs: number;
  watch: Disposable | undefined;
  /** It was written to, or may have been while it was not watched, after its size was read. */
  hasUnseenWrites: boolean;
  /** Until then it is not watched: it has woken the agent too often. */
  restsUntilMs: number;
}

/** A log that is written to more often than this in an interval is not watched for the next, but looked at each second. */
const MAX_WAKE_UPS = 50;

export class LogRotator {
  readonly name = 'log rotation';
  readonly #parts: LogRotatorParts;
  readonly #mailbox: Mailbox;
  readonly #generations: LogGenerations;
  readonly #logs = new Map<ContainerId, WatchedLog>();
  /** The same by pod. */
  readonly #ofPods = new Map<PodUid, Set<WatchedLog>>();
  /** Those with a planned look. Most logs have none, and each wake-up goes through these alone. */
  readonly #awake = new Set<WatchedLog>();
  /** Looks and compressions under way. */
  readonly #work = new Set<Promise<void>>();
  /** How long a rotation takes; a quick log begins its own so much earlier. */
  #leadMs = FIRST_LEAD_MS;

  constructor(parts: LogRotatorParts) {
    this.#parts = parts;
    this.#mailbox = new Mailbox(parts.clock);
    this.#generations = new LogGenerations(parts, (work) => this.#begin(work));
  }

  /** The pod was read from the runtime, with the details of its containers. */
  noteRead({ uid, containers }: ObservedPod): void {
    const running = new Set<ContainerId>();
    for (const { id, state, details } of containers) {
      if (state !== 'running' || details === undefined || details.logPath === '') continue;
      running.add(id);
      if (!this.#logs.has(id)) this.#add(id, uid, details.logPath);
    }
    for (const log of this.#ofPods.get(uid) ?? []) if (!running.has(log.id)) this.#forget(log);
  }

  podGone({ uid }: { readonly uid: PodUid }): void {
    for (const log of this.#ofPods.get(uid) ?? []) this.#forget(log);
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!stop.aborted) {
      const nowMs = clock.steady();
      let nextMs = Number.POSITIVE_INFINITY;
      for (const log of [...this.#awake]) {
        if (!log.isBusy && log.nextLookMs <= nowMs) this.#begin(this.#look(log, stop));
        if (!log.isBusy) nextMs = Math.min(nextMs, log.nextLookMs);
      }
      await this.#mailbox.wait(stop, nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs);
    }
    await Promise.all(this.#work);
    for (const log of this.#logs.values()) this.#forget(log);
  }

  get #limits(): LogPaceLimits {
    return { ...this.#parts.policy, leadMs: this.#leadMs };
  }

  #begin(work: Promise<void>): void {
    const done = work.finally(() => this.#work.delete(done));
    this.#work.add(done);
  }

  #add(id: ContainerId, podUid: PodUid, path: string): void {
    const nextLookMs = this.#parts.clock.steady();
    const place = { id, podUid, path, compressing: new Set<string>() };
    const unknown = { pace: undefined, writes: undefined, wakeUps: 0, countedFromMs: 0, watch: undefined };
    const idle = { nextLookMs, restsUntilMs: 0, isBusy: false, hasUnseenWrites: false };
    const log = { ...place, ...unknown, ...idle };
    const ofPod = this.#ofPods.get(podUid) ?? new Set();
    this.#ofPods.set(podUid, ofPod.add(log));
    this.#logs.set(id, log);
    this.#planLook(log, nextLookMs);
    this.#mailbox.post('log');
  }

  #forget(log: WatchedLog): void {
    const ofPod = this.#ofPods.get(log.podUid);
    if (ofPod?.delete(log) && ofPod.size === 0) this.#ofPods.delete(log.podUid);
    this.#logs.delete(log.id);
    this.#awake.delete(log);
    unwatch(log);
  }

  #planLook(log: WatchedLog, atMs: number): void {
    log.nextLookMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) this.#awake.delete(log);
    else if (this.#logs.get(log.id) === log) this.#awake.add(log);
  }

  /** Never rejects. */
  async #look(log: WatchedLog, stop: AbortSignal): Promise<void> {
    const { clock, logger, policy } = this.#parts;
    log.isBusy = true;
    log.hasUnseenWrites = false;
    try {
      const sizeBytes = await this.#readSize(log, stop);
      log.pace = computeLogPace(paceBefore(log), sizeBytes, clock.steady(), this.#limits);
      if (isLogFull(log.pace, this.#limits)) log.pace = await this.#rotate(log, log.pace, stop);
      await this.#watchIfSlow(log, log.pace);
      this.#planLook(log, this.#chooseNextLook(log, log.pace));
    } catch (error) {
      this.#planLook(log, clock.steady() + policy.monitorIntervalMs);
      if (!stop.aborted && this.#logs.has(log.id))
        logger.warn('cannot rotate a container log', { ...fieldsOf(log), err: errorText(error) });
    } finally {
      log.isBusy = false;
      this.#mailbox.post('looked');
    }
  }

  #chooseNextLook({ watch, hasUnseenWrites, restsUntilMs }: WatchedLog, pace: LogPace): number {
    const { clock, policy } = this.#parts;
    // A log in which nothing was written since the last look needs none, however new it is: the watch reports its writer.
    const isQuiet = pace.rate === 0 || pace.waitMs >= policy.monitorIntervalMs;
    const maySleep = watch !== undefined && !hasUnseenWrites && isQuiet;
    if (maySleep) return Number.POSITIVE_INFINITY;
    const nextLookMs = toNextLookMs(pace, policy);
    const rests = clock.steady() < restsUntilMs;
    return rests ? Math.min(nextLookMs, clock.steady() + QUICK_LOOK_MS) : nextLookMs;
  }

  async #readSize(log: WatchedLog, signal: AbortSignal): Promise<number> {
    const { runtime, logFiles, logger } = this.#parts;
    const size = await logFiles.size(log.path);
    if (size !== undefined) return size;
    logger.info('container log is missing, the runtime is asked to reopen it', fieldsOf(log));
    // The new one may come to lie in another directory, where the old one was moved away.
    unwatch(log);
    await runtime.reopenContainerLog(log.id, { signal, label: 'log rotation' });
    return (await logFiles.size(log.path)) ?? 0;
  }

  async #rotate(log: WatchedLog, pace: LogPace, stop: AbortSignal): Promise<LogPace> {
    const { clock } = this.#parts;
    const { sizeBytes, lookedAtMs, rate } = pace;
    const finalBytes = (await this.#generations.rotate(log, stop)) ?? sizeBytes;
    const endedMs = clock.steady();
    const past = { plannedMs: log.nextLookMs, lookedAtMs, endedMs, grownBytes: finalBytes - sizeBytes, rate };
    this.#leadMs = computeLeadMs(this.#leadMs, past);
    return restartLogPace(pace, endedMs, this.#limits);
  }

  async #watchIfSlow(log: WatchedLog, pace: LogPace): Promise<void> {
    log.writes = undefined;
    if (isLogQuick(pace)) return unwatch(log);
    if (log.watch !== undefined || this.#parts.clock.steady() < log.restsUntilMs) return;
    log.hasUnseenWrites = true;
    let hasEnded = false;
    const onEnd = (): void => {
      hasEnded = true;
      this.#noteEnd(log);
    };
    const watch = await this.#parts.logFiles.watch(log.path, { onWrite: () => this.#noteWrite(log), onEnd });
    if (this.#logs.get(log.id) === log && !hasEnded) log.watch = watch;
    else watch?.[Symbol.dispose]();
  }

  #noteWrite(log: WatchedLog): void {
    log.hasUnseenWrites = true;
    if (log.isBusy || log.pace === undefined) return;
    const nowMs = this.#parts.clock.steady();
    log.writes = computeLogWrites(log.writes, nowMs);
    if (nowMs - log.countedFromMs > this.#parts.policy.monitorIntervalMs) {
      log.countedFromMs = nowMs;
      log.wakeUps = 0;
    }
    if (++log.wakeUps >= MAX_WAKE_UPS) this.#letRest(log, log.pace, nowMs);
    else if (needsLook(log.writes, log.pace, this.#limits)) this.#lookAt(log, nowMs);
    else this.#lookAt(log, toNextIntervalMs(nowMs, this.#parts.policy.monitorIntervalMs));
  }

  /** The look makes another watch. */
  #noteEnd(log: WatchedLog): void {
    const { clock, policy } = this.#parts;
    unwatch(log);
    this.#lookAt(log, toNextIntervalMs(clock.steady(), policy.monitorIntervalMs));
  }

  #letRest(log: WatchedLog, pace: LogPace, nowMs: number): void {
    unwatch(log);
    log.restsUntilMs = nowMs + this.#parts.policy.monitorIntervalMs;
    this.#lookAt(log, nowMs + toSafeMs(pace, this.#limits) / 2);
  }

  #lookAt(log: WatchedLog, atMs: number): void {
    if (atMs >= log.nextLookMs) return;
    this.#planLook(log, atMs);
    this.#mailbox.post('written');
  }
}

/**
 * What is written without a pause says how quick the writer is now, whenever
 * the log was looked at before. What was written before the stretch counts
 * too: a rate that is too high costs a few looks, one too low a large file.
 */
function paceBefore({ pace, writes }: WatchedLog): LogPace | undefined {
  if (pace === undefined || writes === undefined) return pace;
  return { ...pace, lookedAtMs: Math.max(pace.lookedAtMs, writes.sinceMs) };
}

function unwatch(log: WatchedLog): void {
  log.watch?.[Symbol.dispose]();
  log.watch = undefined;
}
