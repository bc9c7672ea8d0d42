/**
 * A keyed store with one writer and any number of readers. The owner keeps
 * the Store; everyone else is handed `view`, which cannot write. Listeners
 * run synchronously after the write and must not throw.
 *
 * Invariant: every listener hears changes in the order they were made, also
 * when a listener writes (its change is told after the current one).
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

interface Subscription<K, V> {
  readonly listener: (key: K, value: V | undefined) => void;
}

export class Store<K, V> implements StoreView<K, V> {
  readonly #items = new Map<K, V>();
  readonly #subscriptions = new Set<Subscription<K, V>>();
  /** Changes not told yet, oldest first; undefined while nobody is being told. */
  #untold: { readonly key: K; readonly value: V | undefined }[] | undefined;

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
    this.#tell(key, value);
  }

  delete(key: K): void {
    if (this.#items.delete(key)) this.#tell(key, undefined);
  }

  subscribe(listener: (key: K, value: V | undefined) => void): Disposable {
    const subscription: Subscription<K, V> = { listener };
    this.#subscriptions.add(subscription);
    return { [Symbol.dispose]: () => void this.#subscriptions.delete(subscription) };
  }

  #tell(key: K, value: V | undefined): void {
    if (this.#untold !== undefined) {
      this.#untold.push({ key, value });
      return;
    }
    const untold = [{ key, value }];
    this.#untold = untold;
    try {
      // The array grows while listeners write.
      for (const change of untold) this.#tellAll(change.key, change.value);
    } finally {
      this.#untold = undefined;
    }
  }

  #tellAll(key: K, value: V | undefined): void {
    for (const subscription of [...this.#subscriptions])
      if (this.#subscriptions.has(subscription)) subscription.listener(key, value);
  }
}
