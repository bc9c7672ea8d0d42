/**
 * Which sources of pods have been seen, and what may hide in those that were
 * seen in part: pods of an earlier run whose manifest cannot be used now.
 *
 *   unseen ──part of the files──► in part ──all of them──► seen
 *      └───────────────────────────────────────────────────►┘
 *
 * Invariants: nothing counts as orphaned before every source was seen; a
 * manifest that cannot be used holds back what may come from a file and
 * nothing else; part of the API server's pods (those of a checkpoint) counts
 * for nothing.
 */
import { Emitter } from '../../base/async/emitter.ts';
import type { PodSourceName } from '../../core/model/pod-source-name.ts';

/** One broken file says nothing about pods from elsewhere. */
const MAY_BE_PARTIAL: ReadonlySet<PodSourceName> = new Set(['file']);

export class SeenSources {
  readonly #unseen: Set<PodSourceName>;
  readonly #partial = new Set<PodSourceName>();
  readonly #allSeen = new Emitter();

  constructor(sources: readonly PodSourceName[]) {
    this.#unseen = new Set(sources);
  }

  /** True once every source was seen, at least in part. */
  get all(): boolean {
    return this.#unseen.size === 0;
  }

  /** Whether a pod that no source names may be in a part that could not be read; undefined for an unknown source. */
  mayHide(source: string | undefined): boolean {
    return source === undefined ? this.#partial.size > 0 : this.#partial.has(source as PodSourceName);
  }

  /** Calls `listener` when the last source is seen, and when nothing may hide any more; dispose the result to stop. */
  onAllSeen(listener: () => void): Disposable {
    return this.#allSeen.subscribe(listener);
  }

  /** A source has delivered; `complete` is false while part of it has never been readable. */
  note(source: PodSourceName, complete: boolean): void {
    if (!complete && (!MAY_BE_PARTIAL.has(source) || !this.#unseen.has(source))) return;
    const isNews = complete ? this.#partial.delete(source) : false;
    const wasUnseen = this.#unseen.delete(source);
    if (!complete) this.#partial.add(source);
    if ((isNews || wasUnseen) && this.all) this.#allSeen.emit();
  }
}
