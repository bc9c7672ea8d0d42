/**
 * One signal for a call: aborted by the caller, by the time limit, or when the
 * call is over.
 *
 *   running ──caller's signal──► aborted with its reason
 *      ├─────time limit────────► expired
 *      └─────dispose───────────► aborted: the call is over
 *
 * Invariants: disposing it cancels the timer, leaves no listener on the
 * caller's signal, and aborts what still hangs on its own, so that no socket
 * survives its call; it expires only while the call runs.
 */
import type { Clock } from './clock.ts';
import { onAbort } from './on-abort.ts';

export interface DeadlineOptions {
  /** No limit without. */
  readonly timeoutMs?: number | undefined;
  /** The caller's. */
  readonly signal?: AbortSignal | undefined;
  /** Why the signal aborts when the time is over. */
  readonly reason?: unknown;
}

const OVER = new Error('the call is over');

export class Deadline implements Disposable {
  readonly #end = new AbortController();
  readonly #timer: Disposable | undefined;
  readonly #listening: Disposable;
  #expired = false;

  constructor(clock: Clock, { timeoutMs, signal, reason }: DeadlineOptions) {
    this.#listening = onAbort(signal, () => this.#end.abort(signal?.reason));
    if (timeoutMs === undefined || this.#end.signal.aborted) return;
    this.#timer = clock.startTimer(timeoutMs, () => {
      this.#expired = !this.#end.signal.aborted;
      this.#end.abort(reason);
    });
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** True once the time limit, and not the caller, ended the call. */
  get expired(): boolean {
    return this.#expired;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#listening[Symbol.dispose]();
    this.#end.abort(OVER);
  }
}
