/**
 * File calls at places that may not answer: a server that is gone holds the
 * call, and with it a thread of the process, for as long as it likes. All file
 * calls share few threads; this class lets such calls have a part of them and
 * no more, and each server a small part of that.
 *
 *   waiting ──a place is free──► under way ──answer──► done
 *      └──30 s──► refused            └──30 s──► given up ──another one of the server answers──► left behind
 *
 * Invariants: no more calls are under way than the widths say, those given up
 * included: their threads stay taken until they answer. Where one was given up
 * none is tried until it has come back or its file system is no longer mounted.
 * What comes back too late is closed.
 */
import type { SteadyClock } from '../../../base/async/clock.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { SharedTimer } from '../../../base/async/shared-timer.ts';
import { AgentError } from '../../../base/errors.ts';
import { quote } from '../../../base/text/quote.ts';
import type { StorageMount } from './storage-mounts.ts';

export interface StorageCallSettings {
  readonly clock: SteadyClock;
  readonly widths: CallWidths;
  readonly timeoutMs: number;
  readonly isMounted: (device: string) => boolean;
}

/** How many calls may be under way. */
export interface CallWidths {
  /** On the machine's own file systems. */
  readonly own: number;
  /** On all others together. */
  readonly storage: number;
  /** On those of one server. */
  readonly server: number;
}

export interface StorageCall<T> {
  /** Such as `open`. */
  readonly verb: string;
  readonly path: string;
  /** Undefined on the machine's own file systems. */
  readonly mount: StorageMount | undefined;
  readonly run: () => Promise<T>;
  /** Takes what is answered after the call was given up. */
  readonly discard?: ((late: T) => void) | undefined;
}

/** A file system that does not answer. */
export interface SilentStorage {
  /** Such as `nfs "server:/export" at "/mnt"`, or a path on the machine's own disks. */
  readonly name: string;
  readonly calls: number;
  /** When the oldest of them began. */
  readonly sinceMs: number;
}

type Named = Pick<StorageCall<unknown>, 'verb' | 'path' | 'mount'>;

/** The lane of the machine's own file systems. */
const OWN = '';

interface Job {
  readonly call: Named;
  /** Gives it its place; only of one that waits. */
  readonly begin: () => void;
  /** Ends its caller's wait. */
  refuse: (error: AgentError) => void;
  state: 'waiting' | 'under way' | 'given up' | 'left behind';
  startedAtMs: number;
}

interface Lane {
  readonly server: string;
  readonly underWay: Set<Job>;
  waiting: Job[];
}

export class StorageCalls {
  readonly #settings: StorageCallSettings;
  /** By server; only those with calls. */
  readonly #lanes = new Map<string, Lane>();
  readonly #changes = new Emitter();
  /** There are hundreds of calls in the life of a pod, and hardly one that is given up. */
  readonly #limit: SharedTimer;
  #storageCalls = 0;

  constructor(settings: StorageCallSettings) {
    this.#settings = settings;
    this.#limit = new SharedTimer(settings.clock, settings.timeoutMs);
  }

  /** How many threads are taken now. */
  get underWay(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.underWay.size, 0);
  }

  /** How many of them by calls at file systems that may hang. */
  get underWayAtServers(): number {
    return this.#storageCalls;
  }

  /** What does not answer: calls there were given up and have not come back. */
  get silent(): readonly SilentStorage[] {
    return [...this.#lanes.values()].flatMap(({ underWay }) => {
      const stuck = [...underWay].filter(({ state }) => state === 'given up');
      const names = new Set(stuck.map(toName));
      return [...names].map((name) => {
        const calls = stuck.filter((job) => toName(job) === name);
        return { name, calls: calls.length, sinceMs: Math.min(...calls.map((job) => job.startedAtMs)) };
      });
    });
  }

  /** Called when {@link silent} has changed. */
  onChange(listener: () => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  /** Gives up all calls at file systems that may hang: the agent ends and does not wait for them. */
  abandon(): void {
    for (const lane of [...this.#lanes.values()])
      if (lane.server !== OWN)
        for (const job of lane.underWay)
          if (job.state === 'under way') this.#giveUp(lane, job, 'no longer waited for');
  }

  /** Settles as the call does. Rejects with AgentError when it takes too long, or its place is known to hang. */
  run<T>(call: StorageCall<T>): Promise<T> {
    const lane = this.#laneOf(call.mount?.server ?? OWN);
    const stuck = this.#findStuck(lane, call);
    if (stuck !== undefined) return Promise.reject(this.#refusal(call, stuck));
    if (lane.waiting.length > 0 || !this.#hasPlace(lane)) return this.#wait(lane, call);
    const startedAtMs = this.#settings.clock.steady();
    const job: Job = { call, begin: () => {}, refuse: () => {}, state: 'under way', startedAtMs };
    this.#enter(lane, job);
    return this.#perform(lane, job, call);
  }

  async #wait<T>(lane: Lane, call: StorageCall<T>): Promise<T> {
    const { clock, timeoutMs } = this.#settings;
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const job: Job = { call, begin, refuse, state: 'waiting', startedAtMs: clock.steady() };
    const timer = this.#limit.start(() => {
      lane.waiting = lane.waiting.filter((other) => other !== job);
      this.#tidy(lane);
      const holding = this.silent.map(({ name }) => name).join(', ') || 'calls that may still answer';
      const why = `no place for it within ${toSeconds(timeoutMs)}s: all are taken by ${holding}`;
      refuse(toError(call, why));
    });
    lane.waiting.push(job);
    try {
      await promise;
    } finally {
      timer[Symbol.dispose]();
    }
    if (job.state === 'under way') return this.#perform(lane, job, call);
    // Given up between its turn and its start.
    this.#leave(lane, job);
    throw this.#refusal(call, job);
  }

  /** Without a promise more than needed. */
  #perform<T>(lane: Lane, job: Job, call: StorageCall<T>): Promise<T> {
    const { timeoutMs } = this.#settings;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => this.#giveUp(lane, job, `no answer within ${toSeconds(timeoutMs)}s`);
      const timer = this.#limit.start(giveUp);
      job.refuse = (error) => {
        timer[Symbol.dispose]();
        reject(error);
      };
      const end = (): void => {
        timer[Symbol.dispose]();
        this.#leave(lane, job);
      };
      call.run().then(
        (value) => {
          if (job.state === 'under way') resolve(value);
          else call.discard?.(value);
          end();
        },
        (error: unknown) => {
          reject(error);
          end();
        },
      );
    });
  }

  #giveUp(lane: Lane, job: Job, why: string): void {
    job.state = 'given up';
    job.refuse(toError(job.call, describeSilence(job.call, why)));
    // Those behind it would only wait for the same server.
    const refused = lane.waiting.filter(({ call }) => this.#findStuck(lane, call) === job);
    lane.waiting = lane.waiting.filter((other) => !refused.includes(other));
    for (const other of refused) other.refuse(this.#refusal(other.call, job));
    this.#changes.emit();
  }

  #refusal(call: Named, stuck: Job): AgentError {
    const seconds = toSeconds(this.#settings.clock.steady() - stuck.startedAtMs);
    return toError(call, describeSilence(stuck.call, `an earlier call has waited for ${seconds}s`));
  }

  #leave(lane: Lane, job: Job): void {
    lane.underWay.delete(job);
    const isStorage = lane.server !== OWN;
    // The server answers again; a call that it has lost is no reason to avoid it.
    if (isStorage && job.state === 'given up')
      for (const other of lane.underWay) if (other.state === 'given up') other.state = 'left behind';
    if (isStorage) this.#storageCalls--;
    this.#startNext(lane);
    // A place that all servers share may have become free.
    if (isStorage) for (const other of [...this.#lanes.values()]) this.#startNext(other);
    this.#tidy(lane);
    if (job.state === 'given up') this.#changes.emit();
  }

  #startNext(lane: Lane): void {
    while (lane.waiting.length > 0 && this.#hasPlace(lane)) {
      const job = lane.waiting.shift();
      if (job === undefined) return;
      job.state = 'under way';
      job.startedAtMs = this.#settings.clock.steady();
      this.#enter(lane, job);
      job.begin();
    }
  }

  #enter(lane: Lane, job: Job): void {
    lane.underWay.add(job);
    if (lane.server === OWN) return;
    this.#storageCalls++;
    // Servers take turns.
    this.#lanes.delete(lane.server);
    this.#lanes.set(lane.server, lane);
  }

  #hasPlace({ server, underWay }: Lane): boolean {
    const { widths, isMounted } = this.#settings;
    if (server === OWN) return underWay.size < widths.own;
    if (this.#storageCalls >= widths.storage) return false;
    if (underWay.size < widths.server) return true;
    const counted = [...underWay].filter(
      ({ state, call }) => state === 'under way' || isMounted(call.mount?.device ?? ''),
    );
    return counted.length < widths.server;
  }

  /** A call that was given up where this one would go to. */
  #findStuck({ server, underWay }: Lane, { path }: Named): Job | undefined {
    const { isMounted } = this.#settings;
    for (const job of underWay) {
      if (job.state !== 'given up') continue;
      if (server === OWN ? job.call.path === path : isMounted(job.call.mount?.device ?? '')) return job;
    }
    return undefined;
  }

  #laneOf(server: string): Lane {
    const known = this.#lanes.get(server);
    if (known !== undefined) return known;
    const lane: Lane = { server, underWay: new Set(), waiting: [] };
    this.#lanes.set(server, lane);
    return lane;
  }

  #tidy({ server, underWay, waiting }: Lane): void {
    if (underWay.size === 0 && waiting.length === 0) this.#lanes.delete(server);
  }
}

function toError({ verb, path }: Named, why: string): AgentError {
  return new AgentError('deadline-exceeded', `cannot ${verb} ${quote(path)}: ${why}`);
}

function describeSilence(call: Named, why: string): string {
  return `the file system ${nameOf(call)} does not answer: ${why}`;
}

function toName({ call }: Job): string {
  return nameOf(call);
}

function nameOf({ mount, path }: Named): string {
  if (mount === undefined) return `of ${quote(path)}`;
  return `${mount.fsType} ${quote(mount.source)} at ${quote(mount.path)}`;
}

function toSeconds(ms: number): number {
  return Math.round(ms / 1000);
}
