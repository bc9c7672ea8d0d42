/**
 * A semaphore with priorities: at most `width` holders; among those who wait
 * the smallest `rank` enters first, equal ranks in order of arrival. Used as
 * the start gate, where rank puts critical and old pods first so that pods
 * become ready as a stream and not in lock-step.
 *
 * With a loan time a place is only lent: work that takes longer goes on but
 * no longer counts, so that work which hangs cannot keep everybody out.
 */
import type { Clock } from './clock.ts';

interface Waiter {
  readonly rank: number;
  readonly enter: () => void;
}

export interface GateLoan {
  readonly clock: Clock;
  readonly maxHoldMs: number;
}

export class Gate {
  readonly #loan: GateLoan | undefined;
  #free: number;
  readonly #waiters: Waiter[] = [];

  constructor(width: number, loan?: GateLoan) {
    if (!Number.isInteger(width) || width < 1)
      throw new Error(`gate width must be a positive integer, got ${width}`);
    this.#free = width;
    this.#loan = loan;
  }

  /** How many callers wait for a place. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /**
   * Runs `work` while holding a place and returns its result. Rejects with
   * `signal.reason` when the signal aborts before a place came free; `work`
   * is then never called.
   */
  async run<T>(rank: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(rank, signal);
    using _place = this.#lend();
    return await work();
  }

  /** Disposing gives the place back; so does the end of the loan, whichever is first. */
  #lend(): Disposable {
    let isHeld = true;
    const giveBack = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#leave();
    };
    const timer = this.#loan?.clock.startTimer(this.#loan.maxHoldMs, giveBack);
    return {
      [Symbol.dispose]: () => {
        timer?.[Symbol.dispose]();
        giveBack();
      },
    };
  }

  #enter(rank: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        rank,
        enter: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const behind = this.#waiters.findIndex((other) => other.rank > rank);
      this.#waiters.splice(behind === -1 ? this.#waiters.length : behind, 0, waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #leave(): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#free++;
    else next.enter();
  }
}
