/**
 * One timer for many waits of the same length, such as the time limits of
 * calls: nearly all of them end long before, so that starting and disposing
 * one must cost next to nothing.
 *
 * Invariants: `run` is called once, `delayMs` after its start or a moment
 * later, in the order of the starts; a timer exists only while something waits.
 */
import type { SteadyClock } from './clock.ts';

class Wait implements Disposable {
  readonly #owner: SharedTimer;
  readonly run: () => void;
  readonly endMs: number;

  constructor(owner: SharedTimer, run: () => void, endMs: number) {
    this.#owner = owner;
    this.run = run;
    this.endMs = endMs;
  }

  [Symbol.dispose](): void {
    this.#owner.forget(this);
  }
}

export class SharedTimer {
  readonly #clock: SteadyClock;
  readonly #delayMs: number;
  /** In the order in which they end, as all last equally long. */
  readonly #waits = new Set<Wait>();
  #timer: Disposable | undefined;

  constructor(clock: SteadyClock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** Calls `run` after the delay; disposing the result cancels. */
  start(run: () => void): Disposable {
    const wait = new Wait(this, run, this.#clock.steady() + this.#delayMs);
    this.#waits.add(wait);
    if (this.#timer === undefined) this.#arm(wait, this.#delayMs);
    return wait;
  }

  /** For a wait that is disposed. */
  forget(wait: Wait): void {
    if (!this.#waits.delete(wait) || this.#waits.size > 0) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #arm({ endMs }: Wait, delayMs: number): void {
    this.#timer = this.#clock.startTimer(delayMs, () => this.#end(endMs));
  }

  /** What the timer was for is due, also where it fires a moment early. */
  #end(dueMs: number): void {
    const nowMs = Math.max(dueMs, this.#clock.steady());
    const due: Wait[] = [];
    this.#timer = undefined;
    for (const wait of this.#waits) {
      if (wait.endMs > nowMs) {
        this.#arm(wait, wait.endMs - nowMs);
        break;
      }
      due.push(wait);
    }
    // One that ends may dispose or start others.
    for (const wait of due) if (this.#waits.delete(wait)) wait.run();
  }
}
