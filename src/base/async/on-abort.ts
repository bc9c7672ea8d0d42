/**
 * The one way to listen to an abort signal. A signal may live as long as the
 * agent, so a temporary listener must be removed; and a signal that has
 * aborted calls no new listener, so it is checked first.
 *
 * Invariants: `run` is called at most once, and never after the result was
 * disposed; equal functions on one signal do not count as one. However many
 * listen, the signal has one listener of ours, and none when nothing listens:
 * each costs Node as much as a small call of the runtime, and a pod's life had 80.
 */

const NOTHING: Disposable = { [Symbol.dispose]: () => {} };

/** Those that listen, by signal; in the order in which they began. */
const listening = new WeakMap<AbortSignal, AbortListeners>();

class AbortListeners {
  readonly #signal: AbortSignal;
  readonly #all = new Set<AbortListener>();
  readonly #heard = (): void => this.#callAll();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(listener: AbortListener): void {
    if (this.#all.size === 0) this.#signal.addEventListener('abort', this.#heard);
    this.#all.add(listener);
  }

  remove(listener: AbortListener): void {
    if (this.#all.delete(listener) && this.#all.size === 0)
      this.#signal.removeEventListener('abort', this.#heard);
  }

  /** What one of them throws keeps no other from hearing of it. */
  #callAll(): void {
    for (const listener of [...this.#all]) {
      if (!this.#all.has(listener)) continue;
      this.remove(listener);
      try {
        listener.run();
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

class AbortListener implements Disposable {
  readonly run: () => void;
  readonly #all: AbortListeners;

  constructor(all: AbortListeners, run: () => void) {
    this.#all = all;
    this.run = run;
    all.add(this);
  }

  [Symbol.dispose](): void {
    this.#all.remove(this);
  }
}

function listenersOf(signal: AbortSignal): AbortListeners {
  const known = listening.get(signal);
  if (known !== undefined) return known;
  const listeners = new AbortListeners(signal);
  listening.set(signal, listeners);
  return listeners;
}

/**
 * Calls `run` when `signal` aborts, before this returns when it has. Without a
 * signal it never does. Dispose the result to stop listening.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): Disposable {
  if (signal === undefined) return NOTHING;
  if (!signal.aborted) return new AbortListener(listenersOf(signal), run);
  run();
  return NOTHING;
}
