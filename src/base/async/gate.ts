/**
 * A semaphore with priorities: at most `width` holders; among those who wait
 * the smallest `rank` enters first, equal ranks in order of arrival. Used as
 * the start gate, where rank puts critical and old pods first so that pods
 * become ready as a stream and not in lock-step. The width is a number, or is
 * learnt from how fast work gets done while other work waits.
 *
 * With a loan time a place is only lent: work that takes longer goes on but
 * no longer counts, so that work which hangs cannot block all others. Work
 * in steps may keep its place for a moment between two of them, so that what
 * has begun is finished before something new begins.
 */
import type { Clock } from './clock.ts';
import { RankedQueue } from './ranked-queue.ts';

/** A width that learns from how fast work gets done: `SustainedWidth`. */
export interface GateWidth {
  readonly value: number;
  /** A piece of work has ended at this steady time, and others wait. */
  note?(nowMs: number): void;
  /** Nothing waits any more. */
  rest?(): void;
}

export interface GateLoan {
  readonly clock: Clock;
  readonly maxHoldMs: number;
}

export class Gate {
  readonly #loan: GateLoan | undefined;
  readonly #width: GateWidth;
  /** Places that are taken, lent or kept. */
  #taken = 0;
  readonly #queue = new RankedQueue();
  /** Places kept for the next step of a rank. */
  readonly #kept = new Map<number, Disposable>();
  #closed = false;

  constructor(width: number | GateWidth, loan?: GateLoan) {
    if (typeof width === 'number' && (!Number.isInteger(width) || width < 1))
      throw new Error(`gate width must be a positive integer, got ${width}`);
    this.#width = typeof width === 'number' ? { value: width } : width;
    this.#loan = loan;
  }

  /** How many callers wait for a place. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** How many enter before the caller of this rank; undefined when none of that rank waits. */
  waitingBefore(rank: number): number | undefined {
    return this.#queue.countBefore(rank);
  }

  /**
   * Runs `work` while holding a place and returns its result. Rejects with
   * `signal.reason` when the signal aborts before `work` was called, which it
   * then never is. With `keepMs` the place stays reserved so long for
   * the next call of the same rank; that needs a loan's clock.
   */
  async run<T>(rank: number, signal: AbortSignal, work: () => Promise<T>, keepMs = 0): Promise<T> {
    await this.#enter(rank, signal);
    using place = this.#lend();
    // It may have aborted in the moment the place came free.
    signal.throwIfAborted();
    const result = await work();
    if (place.isHeld()) this.#learn();
    if (keepMs > 0 && this.#loan !== undefined && !this.#closed && place.isHeld()) {
      place.keep();
      this.#keep(rank, keepMs, this.#loan.clock);
    }
    return result;
  }

  /** From now on no place is kept between steps; those kept are given back. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#kept.values()) {
      timer[Symbol.dispose]();
      this.#leave();
    }
    this.#kept.clear();
  }

  #keep(rank: number, keepMs: number, clock: Clock): void {
    const timer = clock.startTimer(keepMs, () => {
      this.#kept.delete(rank);
      this.#leave();
    });
    this.#kept.set(rank, timer);
  }

  /** Disposing gives the place back; so does the end of the loan, whichever is first. */
  #lend(): Disposable & { isHeld(): boolean; keep(): void } {
    let isHeld = true;
    const giveBack = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#leave();
    };
    const timer = this.#loan?.clock.startTimer(this.#loan.maxHoldMs, giveBack);
    return {
      isHeld: () => isHeld,
      /** The place goes on to the next step instead of back. */
      keep: () => {
        isHeld = false;
      },
      [Symbol.dispose]: () => {
        timer?.[Symbol.dispose]();
        giveBack();
      },
    };
  }

  #enter(rank: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const kept = this.#kept.get(rank);
    if (kept !== undefined) {
      kept[Symbol.dispose]();
      this.#kept.delete(rank);
      return Promise.resolve();
    }
    if (this.#taken < this.#width.value) {
      this.#taken++;
      return Promise.resolve();
    }
    return this.#queue.wait(rank, signal);
  }

  #leave(): void {
    this.#taken--;
    while (this.#taken < this.#width.value && this.#queue.letGo()) this.#taken++;
  }

  /** What hung says nothing about how much at once is good. */
  #learn(): void {
    if (this.#queue.size === 0) this.#width.rest?.();
    else if (this.#loan !== undefined) this.#width.note?.(this.#loan.clock.steady());
  }
}
