/**
 * Calls per second with priorities: a token bucket that callers wait at. When
 * a token comes the smallest rank goes first, equal ranks in order of arrival.
 */
import type { Clock } from '../../../base/clock.ts';
import { onAbort } from '../../../base/on-abort.ts';

export interface TurnLimit {
  /** 0 or less means no limit. */
  readonly perSecond: number;
  readonly burst: number;
}

interface Waiter {
  readonly rank: number;
  readonly go: () => void;
}

export class TurnQueue {
  readonly #clock: Clock;
  readonly #limit: TurnLimit;
  readonly #waiters: Waiter[] = [];
  #tokens: number;
  #filledAtMs: number;
  #timer: Disposable | undefined;

  constructor(clock: Clock, limit: TurnLimit) {
    this.#clock = clock;
    this.#limit = { perSecond: limit.perSecond, burst: Math.max(1, limit.burst) };
    this.#tokens = this.#limit.burst;
    this.#filledAtMs = clock.now();
  }

  /** How many callers wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** Resolves when it is the caller's turn; rejects with `signal.reason` when it aborts first. */
  take(rank: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#limit.perSecond <= 0) return Promise.resolve();
    this.#fill();
    if (this.#waiters.length === 0 && this.#tokens >= 1) {
      this.#tokens--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        if (this.#waiters.length === 0) this.#stopTimer();
        reject(signal.reason);
      };
      const go = (): void => {
        listening[Symbol.dispose]();
        resolve();
      };
      const waiter: Waiter = { rank, go };
      const behind = this.#waiters.findIndex((other) => other.rank > rank);
      this.#waiters.splice(behind === -1 ? this.#waiters.length : behind, 0, waiter);
      const listening = onAbort(signal, giveUp);
      this.#planNext();
    });
  }

  #planNext(): void {
    if (this.#timer !== undefined || this.#waiters.length === 0) return;
    const delayMs = ((1 - this.#tokens) / this.#limit.perSecond) * 1000;
    // Rounded up: a token that is a hair short would cost another timer.
    this.#timer = this.#clock.startTimer(Math.ceil(delayMs), () => {
      this.#timer = undefined;
      this.#fill();
      while (this.#tokens >= 1 && this.#waiters.length > 0) {
        this.#tokens--;
        this.#waiters.shift()?.go();
      }
      this.#planNext();
    });
  }

  #fill(): void {
    const nowMs = this.#clock.now();
    // A clock set back must not freeze the bucket.
    const passedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + (passedMs / 1000) * this.#limit.perSecond);
    this.#filledAtMs = nowMs;
  }

  #stopTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
