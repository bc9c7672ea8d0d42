/**
 * Calls everyone who asked to hear of something, in the order they asked.
 * Listeners run at once and must not throw.
 */

export class Emitter<Args extends readonly unknown[]> {
  readonly #listeners = new Set<{ readonly listener: (...args: Args) => void }>();

  /** Calls `listener` on every emit; dispose the result to stop. */
  subscribe(listener: (...args: Args) => void): Disposable {
    const entry = { listener };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  /** Who unsubscribes meanwhile is not called; who subscribes meanwhile hears of the next one. */
  emit(...args: Args): void {
    for (const entry of [...this.#listeners]) if (this.#listeners.has(entry)) entry.listener(...args);
  }
}
