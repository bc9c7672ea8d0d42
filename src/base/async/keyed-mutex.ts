/**
 * A mutex per key: work on one thing never overlaps, work on different things
 * does. Turns of a key come in the order they were asked for; a failure ends
 * only its own.
 *
 * Invariant: a key is remembered only while work on it is under way or waiting.
 */
import { Mutex } from './mutex.ts';

export class KeyedMutex {
  readonly #mutexes = new Map<string, Mutex>();

  /** Keys with work under way or waiting: the leak check of a test. */
  get size(): number {
    return this.#mutexes.size;
  }

  /** Runs `work` after everything that was asked for with this key before; failures are the caller's. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    let mutex = this.#mutexes.get(key);
    if (mutex === undefined) {
      mutex = new Mutex();
      this.#mutexes.set(key, mutex);
    }
    try {
      return await mutex.run(work);
    } finally {
      if (mutex.isIdle && this.#mutexes.get(key) === mutex) this.#mutexes.delete(key);
    }
  }
}
