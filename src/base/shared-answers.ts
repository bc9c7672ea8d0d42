/**
 * One question at a time for all who ask the same: later ones wait for the
 * answer on its way. A caller whose signal aborts leaves; the question stays,
 * because others may wait for it, and ends by its own time limit.
 */
import { orAborted } from './abortable.ts';

export class SharedAnswers<V> {
  readonly #asking = new Map<string, Promise<V>>();

  /** Undefined when `signal` aborted first; rejects as `ask` does. */
  async get(key: string, ask: () => Promise<V>, signal?: AbortSignal): Promise<V | undefined> {
    if (signal?.aborted) return undefined;
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = ask().finally(() => this.#asking.delete(key));
      // A caller that left does not get the failure; those that wait do.
      asking.catch(() => {});
      this.#asking.set(key, asking);
    }
    return orAborted(asking, signal);
  }
}
