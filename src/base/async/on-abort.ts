/**
 * The one way to listen to an abort signal. A signal may live as long as the
 * agent, so a temporary listener must be removed; and a signal that has
 * aborted calls no new listener, so it is checked first.
 *
 * Invariants: `run` is called at most once, and never after the result was
 * disposed; equal functions on one signal do not count as one.
 */

const ONCE = { once: true };
const NOTHING: Disposable = { [Symbol.dispose]: () => {} };

class AbortListener implements Disposable {
  readonly #signal: AbortSignal;
  readonly #heard: () => void;

  constructor(signal: AbortSignal, run: () => void) {
    this.#signal = signal;
    this.#heard = () => run();
    signal.addEventListener('abort', this.#heard, ONCE);
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#heard);
  }
}

/**
 * Calls `run` when `signal` aborts, before this returns when it has. Without a
 * signal it never does. Dispose the result to stop listening.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): Disposable {
  if (signal === undefined) return NOTHING;
  if (!signal.aborted) return new AbortListener(signal, run);
  run();
  return NOTHING;
}
