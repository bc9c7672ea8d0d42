/**
 * Work that one program can do for many: a program costs the agent more than
 * the whole of such work, and when many pods start or end at once each of their
 * tokens needs it. What comes alone is not held up.
 *
 * Invariant: one program at a time; what is asked for meanwhile shares the next.
 */

interface Batch<Item> {
  readonly items: Item[];
  readonly ended: Promise<boolean>;
}

/** As many places as fit on any command line. */
const MAX_ITEMS = 50;

export class SharedProgram<Item> {
  readonly #runFor: (items: readonly Item[]) => Promise<void>;
  #next: Batch<Item> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `runFor` rejects unless all of them are done. */
  constructor(runFor: (items: readonly Item[]) => Promise<void>) {
    this.#runFor = runFor;
  }

  /** False when the program failed, perhaps at another item. Never rejects. */
  share(item: Item): Promise<boolean> {
    if (this.#next === undefined || this.#next.items.length >= MAX_ITEMS) this.#next = this.#begin();
    this.#next.items.push(item);
    return this.#next.ended;
  }

  #begin(): Batch<Item> {
    const items: Item[] = [];
    const ended = this.#last.then(() => this.#run(items));
    this.#last = ended;
    return { items, ended };
  }

  async #run(items: readonly Item[]): Promise<boolean> {
    if (this.#next?.items === items) this.#next = undefined;
    return this.#runFor(items).then(
      () => true,
      () => false,
    );
  }
}
