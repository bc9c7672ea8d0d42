/** Work on one thing in turns; work on different things side by side. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all that was asked for under `key` before; fails as `work` does. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
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
