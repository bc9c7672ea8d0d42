/**
 * Calls listeners in the order they subscribed. They run synchronously and
 * must not throw.
 *
 * Invariants: a function that subscribes twice is called twice; a listener
 * that unsubscribes during an emit is not called, and one that subscribes is
 * called from the next emit on. Neither subscribing nor emitting makes a copy.
 */

class Subscription<Args extends readonly unknown[]> implements Disposable {
  readonly listener: (...args: Args) => void;
  /** Counts up, so that an emit knows which listeners came after it began. */
  readonly number: number;
  readonly #all: Set<Subscription<Args>>;

  constructor(all: Set<Subscription<Args>>, listener: (...args: Args) => void, number: number) {
    this.#all = all;
    this.listener = listener;
    this.number = number;
  }

  [Symbol.dispose](): void {
    this.#all.delete(this);
  }
}

export class Emitter<Args extends readonly unknown[] = []> {
  readonly #subscriptions = new Set<Subscription<Args>>();
  #count = 0;

  /** How many listeners there are. */
  get size(): number {
    return this.#subscriptions.size;
  }

  /** Calls `listener` on every emit; dispose the result to stop. */
  subscribe(listener: (...args: Args) => void): Disposable {
    const subscription = new Subscription(this.#subscriptions, listener, ++this.#count);
    this.#subscriptions.add(subscription);
    return subscription;
  }

  emit(...args: Args): void {
    const newest = this.#count;
    for (const { listener, number } of this.#subscriptions) if (number <= newest) listener(...args);
  }
}
