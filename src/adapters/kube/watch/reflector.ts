/**
 * Keeps a set of API objects current: one list, then watches from the last
 * seen version for as long as the server can continue from it.
 *
 *   list ──ok──► watch ──ended, lost, silent──► (jittered pause) ──► watch from the last version
 *     ▲  └─failed: pause                 └──expired, asked for, or nothing but failures──► list
 *
 * Invariants: it ends only with `stop`; every wait has a deadline, so a lost
 * connection, a frozen server or a hanging call costs time and never the
 * watch; the version moves only with what the handlers were given.
 */
import { type Clock, sleep } from '../../../base/async/clock.ts';
import { onAbort } from '../../../base/async/on-abort.ts';
import { computeRetryDelay } from '../../../base/async/retry-delay.ts';
import { AgentError, errorText, hasCode } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import { type ApiList, type ApiObject, apiStatusOf } from '../../../ports/cluster/api-server.ts';
import type { ListWatch, ListWatchHandlers, ListWatchHealth } from '../../../ports/cluster/list-watch.ts';
import { computeWatchSeconds, DEFAULT_TIMING, type ReflectorTiming } from './reflector-timing.ts';
import type { WatchFrame } from './watch-frame.ts';
import type { WatchLedger } from './watch-ledger.ts';

/** The API as a reflector needs it; both calls end soon after their signal aborts. */
export interface ReflectorSource<T> {
  list(signal: AbortSignal): Promise<ApiList<T>>;
  /** Resolves when the server ended the watch; rejects with AgentError, `gone` when the version has expired. */
  watch(
    fromVersion: string,
    timeoutSeconds: number,
    onFrame: (frame: WatchFrame<T>) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface ReflectorSettings<T> {
  /** Names it in log lines. */
  readonly what: string;
  readonly source: ReflectorSource<T>;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly timing?: Partial<ReflectorTiming>;
  /** Where it is entered while it runs, as one of its kind. */
  readonly ledger?: WatchLedger;
  readonly kind?: string;
}

/** How one watch ended, and whether it was of any use. */
type WatchEnd =
  | { readonly kind: 'ended' | 'silent' | 'relist' }
  | { readonly kind: 'failed' | 'expired'; readonly error: unknown };

const RELIST = Symbol('relist');
const SILENT = Symbol('silent');

export class Reflector<T extends ApiObject> implements ListWatch<T> {
  readonly #settings: ReflectorSettings<T>;
  readonly #timing: ReflectorTiming;
  #running = false;
  #synced = false;
  #version = '';
  #lists = 0;
  #reconnects = 0;
  #heardAtMs = 0;
  #relistAtMs = Number.POSITIVE_INFINITY;
  /** Tries in a row that brought nothing: decides the pause. */
  #failures = 0;
  /** Those of them that the server answered: then perhaps the version is what it cannot serve. */
  #useless = 0;
  /** By the server, with its last refusal. */
  #askedToWaitMs = 0;
  /** Cuts the watch under way. */
  #cut: ((why: symbol) => void) | undefined;

  constructor(settings: ReflectorSettings<T>) {
    this.#settings = settings;
    this.#timing = { ...DEFAULT_TIMING, ...settings.timing };
  }

  health(): ListWatchHealth {
    const ageMs = this.#running ? this.#settings.clock.steady() - this.#heardAtMs : 0;
    return {
      lastEventAgeMs: ageMs,
      relists: Math.max(0, this.#lists - 1),
      reconnects: this.#reconnects,
      failures: this.#failures,
      synced: this.#synced,
    };
  }

  relist(): void {
    this.#relistAtMs = Number.NEGATIVE_INFINITY;
    this.#cut?.(RELIST);
  }

  async run(stop: AbortSignal, handlers: ListWatchHandlers<T>): Promise<void> {
    if (this.#running) throw new Error(`the list of ${this.#settings.what} is already followed`);
    this.#running = true;
    this.#heard();
    const { what, kind = what, ledger } = this.#settings;
    using _entry = ledger?.enter(kind, () => this.health());
    try {
      while (!stop.aborted) {
        if (await this.#list(stop, handlers)) await this.#watch(stop, handlers);
        if (!stop.aborted && this.#failures > 0) await this.#pause(stop);
      }
    } finally {
      this.#running = false;
    }
  }

  /** False when it failed. */
  async #list(stop: AbortSignal, handlers: ListWatchHandlers<T>): Promise<boolean> {
    const { clock, source, random } = this.#settings;
    this.#relistAtMs = Number.POSITIVE_INFINITY;
    try {
      const list = await this.#cuttable(stop, this.#timing.listTimeoutMs, (signal) => source.list(signal));
      if (stop.aborted) return false;
      this.#version = list.resourceVersion;
      this.#lists++;
      this.#useless = 0;
      this.#heard();
      // Asked for while this one was under way: then what it shows may be too old.
      const planned = clock.steady() + this.#timing.relistEveryMs * (1 + 0.5 * random());
      this.#relistAtMs = Math.min(this.#relistAtMs, planned);
      handlers.onReplace(list.items);
      if (!this.#synced) handlers.onSynced?.();
      this.#synced = true;
      return true;
    } catch (error) {
      if (!stop.aborted) this.#fail('cannot list', error);
      return false;
    }
  }

  /** Watches until a new list is needed. */
  async #watch(stop: AbortSignal, handlers: ListWatchHandlers<T>): Promise<void> {
    for (let first = true; !stop.aborted; first = false) {
      if (!first) {
        this.#reconnects++;
        await this.#pause(stop);
        if (stop.aborted) return;
      }
      if (this.#relistAtMs <= this.#settings.clock.steady()) return;
      const end = await this.#watchOnce(stop, handlers);
      if (stop.aborted || end.kind === 'relist') return;
      this.#settings.logger.debug({ file: 'reflector', level: 3 }, 'watch ended', {
        what: this.#settings.what,
        how: end.kind,
      });
      if (end.kind === 'expired') {
        this.#countFailure(true);
        return;
      }
      if (end.kind === 'failed') this.#fail('watch failed', end.error);
      if (this.#useless >= this.#timing.relistAfterUseless) return;
    }
  }

  async #watchOnce(stop: AbortSignal, handlers: ListWatchHandlers<T>): Promise<WatchEnd> {
    const { clock, source, random } = this.#settings;
    const startedAtMs = clock.steady();
    const timeoutSeconds = computeWatchSeconds(this.#timing, random());
    const endAtMs = startedAtMs + timeoutSeconds * 1000 + this.#timing.overtimeMs;
    let frames = 0;
    let idleSinceMs = startedAtMs;
    let why: unknown;
    const watch = (signal: AbortSignal, cut: (why: unknown) => void): Promise<void> => {
      this.#cut = (reason) => {
        why = reason;
        cut(reason);
      };
      const onFrame = (frame: WatchFrame<T>): void => {
        if (signal.aborted) return;
        frames++;
        idleSinceMs = clock.steady();
        this.#takeFrame(frame, handlers);
      };
      return source.watch(this.#version, timeoutSeconds, onFrame, signal);
    };
    const wasUseful = (): boolean => frames > 0 || clock.steady() - startedAtMs >= this.#timing.usefulMs;
    using _guard = this.#guard(() => Math.min(idleSinceMs + this.#timing.idleMs, endAtMs));
    try {
      await this.#cuttable(stop, undefined, watch);
      if (wasUseful()) this.#succeed();
      else this.#countFailure(true);
      return { kind: 'ended' };
    } catch (error) {
      if (why === RELIST) return { kind: 'relist' };
      if (wasUseful()) this.#succeed();
      if (why === SILENT) return { kind: 'silent' };
      return { kind: hasCode(error, 'gone') ? 'expired' : 'failed', error };
    } finally {
      this.#cut = undefined;
    }
  }

  #takeFrame(frame: WatchFrame<T>, handlers: ListWatchHandlers<T>): void {
    this.#heard();
    if (frame.type === 'ERROR') throw frame.error;
    if (frame.type !== 'BOOKMARK') {
      try {
        handlers.onEvent(frame.type, frame.object);
      } catch (error) {
        // The receiver may have half of it: only a whole new set makes it right again.
        this.#relistAtMs = Number.NEGATIVE_INFINITY;
        throw error;
      }
    }
    this.#version = frame.version;
  }

  /** Ends the watch when the server is silent for too long, or the time for a new list has come. */
  #guard(silentAtMs: () => number): Disposable {
    const { clock } = this.#settings;
    let timer: Disposable | undefined;
    const plan = (): void => {
      const atMs = Math.min(silentAtMs(), this.#relistAtMs);
      timer = clock.startTimer(atMs - clock.steady(), look);
    };
    const look = (): void => {
      if (this.#relistAtMs <= clock.steady()) this.#cut?.(RELIST);
      else if (silentAtMs() <= clock.steady()) this.#cut?.(SILENT);
      else plan();
    };
    plan();
    return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
  }

  /** Runs `work` and leaves it behind as soon as it is cut, overdue or stopped, even if it does not end itself. */
  async #cuttable<R>(
    stop: AbortSignal,
    timeoutMs: number | undefined,
    work: (signal: AbortSignal, cut: (why: unknown) => void) => Promise<R>,
  ): Promise<R> {
    const controller = new AbortController();
    const left = Promise.withResolvers<never>();
    left.promise.catch(() => {});
    const cut = (why: unknown): void => {
      controller.abort(why);
      left.reject(why);
    };
    using _listening = onAbort(stop, () => cut(stop.reason));
    const late = (): void => cut(new AgentError('deadline-exceeded', `no answer within ${timeoutMs} ms`));
    using _deadline = timeoutMs === undefined ? undefined : this.#settings.clock.startTimer(timeoutMs, late);
    const running = work(controller.signal, cut);
    running.catch(() => {});
    return await Promise.race([running, left.promise]);
  }

  #succeed(): void {
    this.#failures = 0;
    this.#useless = 0;
  }

  #countFailure(answered: boolean): void {
    this.#failures++;
    if (answered) this.#useless++;
  }

  #fail(message: string, error: unknown): void {
    // An unreachable server says nothing about our version: after its restart the nodes need not list again.
    const unreached = hasCode(error, 'unavailable') && apiStatusOf(error) === undefined;
    this.#countFailure(!unreached);
    const { logger, what } = this.#settings;
    const fields = { what, failures: this.#failures, err: errorText(error) };
    // The first is often a restart of the server; what stays is worth a line.
    if (this.#failures === 1) logger.debug({ file: 'reflector', level: 2 }, message, fields);
    else logger.warn(message, fields);
    this.#askedToWaitMs = (apiStatusOf(error)?.retryAfterSeconds ?? 0) * 1000;
  }

  async #pause(stop: AbortSignal): Promise<void> {
    const { clock, random } = this.#settings;
    const { initialMs, maxMs, spreadMs } = this.#timing;
    const backOffMs =
      this.#failures === 0
        ? spreadMs * random()
        : computeRetryDelay({ initialMs, maxMs, least: 0.5, spread: 0.5 }, this.#failures - 1, random());
    const delayMs = Math.max(backOffMs, Math.min(this.#askedToWaitMs, this.#timing.maxAskedWaitMs));
    this.#askedToWaitMs = 0;
    await sleep(clock, delayMs, stop);
  }

  #heard(): void {
    this.#heardAtMs = this.#settings.clock.steady();
  }
}
