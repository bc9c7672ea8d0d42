/**
 * Callers that wait for their turn: the smallest rank goes first, equal ranks
 * in order of arrival. The owner decides when a turn comes.
 *
 * Invariant: a caller whose signal aborts leaves the queue at once, and its
 * turn goes to the next one.
 */
import { onAbort } from './on-abort.ts';

interface Waiter {
  readonly rank: number;
  readonly go: () => void;
}

export class RankedQueue {
  /** In the order of their turns. */
  readonly #waiters: Waiter[] = [];

  /** How many callers wait. */
  get size(): number {
    return this.#waiters.length;
  }

  /** How many go before the first caller of this rank; undefined when none of that rank waits. */
  countBefore(rank: number): number | undefined {
    const index = this.#waiters.findIndex((waiter) => waiter.rank === rank);
    return index === -1 ? undefined : index;
  }

  /** Resolves when the caller is let go; rejects with `signal.reason` when that aborts first. */
  wait(rank: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const listening = onAbort(signal, () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
      });
      const go = (): void => {
        listening[Symbol.dispose]();
        resolve();
      };
      const waiter: Waiter = { rank, go };
      this.#waiters.splice(this.#placeOf(rank), 0, waiter);
    });
  }

  /** Lets the first caller go; false when none waits. */
  letGo(): boolean {
    const first = this.#waiters.shift();
    first?.go();
    return first !== undefined;
  }

  /** From the end: most ranks arrive in order. */
  #placeOf(rank: number): number {
    let place = this.#waiters.length;
    while (place > 0 && (this.#waiters[place - 1]?.rank ?? rank) > rank) place--;
    return place;
  }
}
