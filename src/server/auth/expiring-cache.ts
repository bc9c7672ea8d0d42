/**
 * Caches answers, bounded in number (the least recently used is evicted first)
 * and in time, and asks once for concurrent callers. A failure goes to the
 * callers that wait for it and is not cached.
 */
import type { Clock } from '../../base/async/clock.ts';
import { SingleFlight } from '../../base/async/single-flight.ts';

export interface Answer<V> {
  readonly value: V;
  /** 0 or less: not cached. */
  readonly keepMs: number;
}

export class ExpiringCache<V> {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  /** In order of use. */
  readonly #entries = new Map<string, { readonly value: V; readonly untilMs: number }>();
  readonly #asking = new SingleFlight<V>();

  constructor(clock: Clock, maxEntries: number) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** True when `get` would answer from the cache. */
  has(key: string): boolean {
    const known = this.#entries.get(key);
    return known !== undefined && this.#clock.steady() < known.untilMs;
  }

  /** The cached answer, or the result of `ask`. */
  async get(key: string, ask: () => Promise<Answer<V>>): Promise<V> {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      if (this.#clock.steady() < known.untilMs) {
        this.#entries.set(key, known);
        return known.value;
      }
    }
    return this.#asking.run(key, () => this.#ask(key, ask));
  }

  async #ask(key: string, ask: () => Promise<Answer<V>>): Promise<V> {
    const { value, keepMs } = await ask();
    if (keepMs > 0) this.#remember(key, value, this.#clock.steady() + keepMs);
    return value;
  }

  #remember(key: string, value: V, untilMs: number): void {
    this.#entries.set(key, { value, untilMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break;
      this.#entries.delete(oldest);
    }
  }
}
