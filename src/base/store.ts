/**
 * A keyed store with one writer and any number of readers. The owner keeps
 * the Store; everyone else is handed `view`, which cannot write. Listeners
 * run synchronously after the write and must not throw.
 */

export interface StoreView<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  has(key: K): boolean;
  keys(): IterableIterator<K>;
  values(): IterableIterator<V>;
  entries(): IterableIterator<[K, V]>;
  /** Calls `listener` after every change of a key; dispose the result to stop. */
  subscribe(listener: (key: K, value: V | undefined) => void): Disposable;
}

export class Store<K, V> implements StoreView<K, V> {
  readonly #items = new Map<K, V>();
  readonly #listeners = new Set<(key: K, value: V | undefined) => void>();

  /** The read-only face of this store. */
  get view(): StoreView<K, V> {
    return this;
  }

  get size(): number {
    return this.#items.size;
  }

  get(key: K): V | undefined {
    return this.#items.get(key);
  }

  has(key: K): boolean {
    return this.#items.has(key);
  }

  keys(): IterableIterator<K> {
    return this.#items.keys();
  }

  values(): IterableIterator<V> {
    return this.#items.values();
  }

  entries(): IterableIterator<[K, V]> {
    return this.#items.entries();
  }

  /** Stores `value`; the same reference again is not a change. */
  set(key: K, value: V): void {
    if (this.#items.get(key) === value && this.#items.has(key)) return;
    this.#items.set(key, value);
    for (const listener of [...this.#listeners]) listener(key, value);
  }

  delete(key: K): void {
    if (!this.#items.delete(key)) return;
    for (const listener of [...this.#listeners]) listener(key, undefined);
  }

  subscribe(listener: (key: K, value: V | undefined) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
