/**
 * A conflating mailbox: many posts before a read count as one. It carries the
 * fact that something changed and a short note about what, never a state; the
 * reader re-reads the state before it decides (a lost post costs latency only).
 *
 * Invariant: at most one reader waits at a time.
 */
import type { SteadyClock } from './clock.ts';
import { onAbort } from './on-abort.ts';

export type Wake =
  | { readonly kind: 'posted'; readonly reasons: ReadonlySet<string> }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'stopped' };

export class Mailbox {
  readonly #clock: SteadyClock;
  #reasons = new Set<string>();
  #reader: (() => void) | undefined;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** True when a post has not been read yet. */
  get pending(): boolean {
    return this.#reasons.size > 0;
  }

  /** Wakes the reader now or, if it is busy, as soon as it waits again. */
  post(reason: string): void {
    this.#reasons.add(reason);
    this.#reader?.();
  }

  /** Forgets what was posted: the reader is about to read the state, which has all of it. */
  clear(): void {
    if (this.pending) this.#reasons = new Set();
  }

  /**
   * Waits for a post, the steady time `until`, or `stop`. A pending post wins
   * over a deadline that has passed; `stop` wins over both.
   */
  async wait(stop: AbortSignal, until?: number): Promise<Wake> {
    if (this.#reader !== undefined) throw new Error('a mailbox has one reader at a time');
    if (!stop.aborted && !this.pending) await this.#sleep(stop, until);
    if (stop.aborted) return { kind: 'stopped' };
    if (!this.pending) return { kind: 'deadline' };
    const reasons = this.#reasons;
    this.#reasons = new Set();
    return { kind: 'posted', reasons };
  }

  #sleep(stop: AbortSignal, until: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer?.[Symbol.dispose]();
        listening[Symbol.dispose]();
        this.#reader = undefined;
        resolve();
      };
      this.#reader = end;
      const listening = onAbort(stop, end);
      const delayMs = until === undefined ? undefined : Math.max(0, until - this.#clock.steady());
      const timer = delayMs === undefined ? undefined : this.#clock.startTimer(delayMs, end);
    });
  }
}
