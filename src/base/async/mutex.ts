/**
 * Work on one thing that never overlaps. Turns come in the order they were
 * asked for; a failure ends only its own.
 */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;

  /** No work is under way or waiting. */
  get isIdle(): boolean {
    return this.#pending === 0;
  }

  /** Runs `work` after everything that was asked for before; failures are the caller's. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#pending++;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#pending--;
    }
  }
}
