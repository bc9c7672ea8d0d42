/**
 * Calls listeners in the order they subscribed. They run synchronously and
 * must not throw.
 */

export class Emitter<Args extends readonly unknown[]> {
  readonly #listeners = new Set<{ readonly listener: (...args: Args) => void }>();

  /** Calls `listener` on every emit; dispose the result to stop. */
  subscribe(listener: (...args: Args) => void): Disposable {
    const entry = { listener };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  /** A listener that unsubscribes during an emit is not called; one that subscribes is called from the next one on. */
  emit(...args: Args): void {
    for (const entry of [...this.#listeners]) if (this.#listeners.has(entry)) entry.listener(...args);
  }
}
