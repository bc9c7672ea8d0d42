/**
 * A keyed store with one writer and any number of readers. The owner keeps
 * the Store; everyone else is handed `view`, which cannot write. Listeners
 * run synchronously after the write and must not throw.
 *
 * Invariant: every listener gets changes in the order they were made, also
 * when a listener writes (its change is delivered after the current one).
 */
import { Emitter } from './async/emitter.ts';

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
  readonly #changes = new Emitter<[key: K, value: V | undefined]>();
  /** Changes not delivered yet, oldest first; undefined while no delivery is under way. */
  #undelivered: { readonly key: K; readonly value: V | undefined }[] | undefined;

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
    this.#notify(key, value);
  }

  delete(key: K): void {
    if (this.#items.delete(key)) this.#notify(key, undefined);
  }

  subscribe(listener: (key: K, value: V | undefined) => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  #notify(key: K, value: V | undefined): void {
    if (this.#undelivered !== undefined) {
      this.#undelivered.push({ key, value });
      return;
    }
    const undelivered = [{ key, value }];
    this.#undelivered = undelivered;
    try {
      // The array grows while listeners write.
      for (const change of undelivered) this.#changes.emit(change.key, change.value);
    } finally {
      this.#undelivered = undefined;
    }
  }
}
