/**
 * Calls per second with priorities: a token bucket that callers wait at. When
 * a token comes the smallest rank goes first, equal ranks in order of arrival.
 */
import type { Clock } from '../../../base/async/clock.ts';
import { RankedQueue } from '../../../base/async/ranked-queue.ts';
import { TokenBucket, type TokenRate } from '../../../base/async/token-bucket.ts';

export class TurnQueue {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #queue = new RankedQueue();
  #timer: Disposable | undefined;

  constructor(clock: Clock, rate: TokenRate) {
    this.#clock = clock;
    this.#bucket = new TokenBucket(rate, clock.steady());
  }

  /** How many callers wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Resolves when it is the caller's turn; rejects with `signal.reason` when it aborts first. */
  take(rank: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#queue.size === 0 && this.#bucket.tryTake(this.#clock.steady())) return Promise.resolve();
    const turn = this.#queue.wait(rank, signal);
    turn.catch(() => this.#stopTimerWhenEmpty());
    this.#planNext();
    return turn;
  }

  #planNext(): void {
    if (this.#timer !== undefined || this.#queue.size === 0) return;
    // Rounded up: a token that is a hair short would cost another timer.
    const delayMs = Math.ceil(this.#bucket.msUntilNext(this.#clock.steady()));
    this.#timer = this.#clock.startTimer(delayMs, () => {
      this.#timer = undefined;
      while (this.#queue.size > 0 && this.#bucket.tryTake(this.#clock.steady())) this.#queue.letGo();
      this.#planNext();
    });
  }

  #stopTimerWhenEmpty(): void {
    if (this.#queue.size > 0) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
