/**
 * Unmounts of file systems in memory, many with one program: each program costs
 * the agent more than the whole of such an unmount, and when pods end at once there
 * is one for every token. One that comes alone is not held up.
 *
 * Invariant: one program at a time; what is asked for meanwhile shares the next.
 */

interface Batch {
  readonly places: string[];
  readonly ended: Promise<boolean>;
}

/** As many as fit on any command line. */
const MAX_PLACES = 50;

export class SharedUnmounts {
  readonly #unmountAll: (places: readonly string[]) => Promise<void>;
  #next: Batch | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `unmountAll` rejects unless all of them are unmounted. */
  constructor(unmountAll: (places: readonly string[]) => Promise<void>) {
    this.#unmountAll = unmountAll;
  }

  /** False when the program failed, perhaps at another place. Never rejects. */
  unmount(place: string): Promise<boolean> {
    if (this.#next === undefined || this.#next.places.length >= MAX_PLACES) this.#next = this.#begin();
    this.#next.places.push(place);
    return this.#next.ended;
  }

  #begin(): Batch {
    const places: string[] = [];
    const ended = this.#last.then(() => this.#run(places));
    this.#last = ended;
    return { places, ended };
  }

  async #run(places: readonly string[]): Promise<boolean> {
    if (this.#next?.places === places) this.#next = undefined;
    return this.#unmountAll(places).then(
      () => true,
      () => false,
    );
  }
}
