/**
 * Work on one thing never overlaps, work on different things does. Turns of a
 * key come in the order they were asked for; a failure ends only its own.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Keys with work under way or waiting: the leak check of a test. */
  get size(): number {
    return this.#last.size;
  }

  /** Runs `work` after everything that was asked for with this key before; failures are the caller's. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => {});
    this.#last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
