/**
 * An emitter per key, for listeners that follow one thing among many.
 *
 * Invariant: a key is kept only while it has listeners.
 */
import { Emitter } from './emitter.ts';

export class KeyedEmitter<Args extends readonly unknown[] = []> {
  readonly #emitters = new Map<string, Emitter<Args>>();

  /** How many keys have listeners. */
  get size(): number {
    return this.#emitters.size;
  }

  /** Calls `listener` on every emit of this key; dispose the result to stop. */
  subscribe(key: string, listener: (...args: Args) => void): Disposable {
    let emitter = this.#emitters.get(key);
    if (emitter === undefined) {
      emitter = new Emitter();
      this.#emitters.set(key, emitter);
    }
    const subscription = emitter.subscribe(listener);
    return {
      [Symbol.dispose]: () => {
        subscription[Symbol.dispose]();
        if (this.#emitters.get(key)?.size === 0) this.#emitters.delete(key);
      },
    };
  }

  emit(key: string, ...args: Args): void {
    this.#emitters.get(key)?.emit(...args);
  }
}
