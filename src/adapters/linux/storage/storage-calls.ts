/**
 * File calls at places behind which there may be a network: a server that is
 * gone holds the call, and with it a thread of the process, for as long as it
 * likes. All file calls share few threads; this class lets such calls have a
 * part of them and no more, so that the rest of the agent goes on.
 *
 *   waiting ──a place is free──► under way ──answer──► done
 *      └─────────30 s─────────────► given up (the thread stays taken until it answers)
 *
 * Invariants: at most `width` calls are under way, those given up included;
 * where one was given up no other is tried until it has come back; what comes
 * back too late is closed.
 */
import type { Clock } from '../../../base/async/clock.ts';
import { AgentError } from '../../../base/errors.ts';

export interface StorageCallSettings {
  readonly clock: Clock;
  readonly width: number;
  readonly timeoutMs: number;
}

export interface StorageCall<T> {
  /** Such as `open`. */
  readonly verb: string;
  readonly path: string;
  readonly run: () => Promise<T>;
  /** Takes what is answered after the call was given up. */
  readonly discard?: ((late: T) => void) | undefined;
}

export class StorageCalls {
  readonly #settings: StorageCallSettings;
  readonly #waiting: (() => void)[] = [];
  /** Places whose call was given up and has not come back, and how often. */
  readonly #stuck = new Map<string, number>();
  #underWay = 0;

  constructor(settings: StorageCallSettings) {
    this.#settings = settings;
  }

  /** Calls that were given up and still hold a thread. */
  get stuck(): readonly string[] {
    return [...this.#stuck.keys()];
  }

  /** Settles as the call does. Rejects with AgentError when it takes too long, or its place is known to hang. */
  run<T>(call: StorageCall<T>): Promise<T> {
    const { clock, timeoutMs } = this.#settings;
    if (this.#stuck.has(call.path))
      return Promise.reject(giveUp(call, 'an earlier call there has not come back'));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let state: 'waiting' | 'under way' | 'over' = 'waiting';
    const start = (): void => {
      state = 'under way';
      this.#underWay++;
      call.run().then(
        (value) => end(() => resolve(value), value),
        (error: unknown) => end(() => reject(error)),
      );
    };
    const end = (settle: () => void, ...late: T[]): void => {
      this.#leave();
      if (state === 'over') {
        this.#note(call.path, -1);
        for (const value of late) call.discard?.(value);
      } else {
        state = 'over';
        timer[Symbol.dispose]();
        settle();
      }
    };
    const timer = clock.startTimer(timeoutMs, () => {
      if (state === 'under way') this.#note(call.path, 1);
      else this.#forget(start);
      const isHeld = state === 'waiting';
      state = 'over';
      const why = isHeld ? `other calls hang: ${this.stuck.join(', ')}` : 'is the storage behind it there?';
      reject(giveUp(call, `no answer within ${timeoutMs / 1000}s; ${why}`));
    });
    if (this.#underWay < this.#settings.width) start();
    else this.#waiting.push(start);
    return promise;
  }

  #leave(): void {
    this.#underWay--;
    this.#waiting.shift()?.();
  }

  #forget(start: () => void): void {
    const index = this.#waiting.indexOf(start);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  #note(path: string, change: number): void {
    const count = (this.#stuck.get(path) ?? 0) + change;
    if (count > 0) this.#stuck.set(path, count);
    else this.#stuck.delete(path);
  }
}

function giveUp({ verb, path }: Pick<StorageCall<unknown>, 'verb' | 'path'>, why: string): AgentError {
  return new AgentError('deadline-exceeded', `cannot ${verb} ${JSON.stringify(path)}: ${why}`);
}
