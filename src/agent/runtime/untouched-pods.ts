/**
 * Of which pods the runtime has nothing for certain: those that were in no
 * complete list, and of which it has reported nothing since. What a pod that
 * has just been added finds there need not be asked for then, which is two
 * calls for each, while many start at once.
 *
 *   doubtful ──end of a list that began with the events open──► certain
 *      ▲                                                          │
 *      └──────────events break or open, one names no pod──────────┘
 *
 * Invariant: what happens while a list is under way may be missing in it, and
 * counts as reported after it.
 */
import type { PodUid } from '../../core/model/ids.ts';

export class UntouchedPods {
  #isCertain = false;
  #doubts = 0;
  #listed: ReadonlySet<PodUid> = new Set();
  /** Those with events since the last list began. */
  readonly #heard = new Set<PodUid>();
  /** Those with events that a list under way shows. */
  readonly #heardBefore = new Set<PodUid>();

  /** The events broke or are open again: what happened meanwhile only a list shows. */
  doubt(): void {
    this.#isCertain = false;
    this.#doubts++;
  }

  /** Undefined for an event that names no known pod. */
  hear(uid: PodUid | undefined): void {
    if (uid === undefined) this.doubt();
    else this.#heard.add(uid);
  }

  /** Call the result with the pods of the list, if it does not fail. */
  listBegins(hasEvents: boolean): (listed: Iterable<PodUid>) => void {
    const doubts = this.#doubts;
    for (const uid of this.#heard) this.#heardBefore.add(uid);
    this.#heard.clear();
    return (listed) => {
      this.#isCertain = hasEvents && doubts === this.#doubts;
      this.#listed = new Set(listed);
      this.#heardBefore.clear();
    };
  }

  has(uid: PodUid): boolean {
    return this.#isCertain && !this.#listed.has(uid) && !this.#heard.has(uid) && !this.#heardBefore.has(uid);
  }
}
