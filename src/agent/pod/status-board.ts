/**
 * The last published status of every pod. Each pod's worker is the only
 * writer of its entry; reporters and the HTTP server read.
 */
import { Store, type StoreView } from '../../base/store.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import type { PodUid } from '../../core/model/ids.ts';

export interface PublishedStatus {
  readonly pod: Pod;
  readonly status: PodStatus;
  /** False once nothing of the pod runs any more for good: only then may a terminal phase be published. */
  readonly mayRun: boolean;
}

export class StatusBoard {
  readonly name = 'status board';
  readonly #published = new Store<PodUid, PublishedStatus>();

  get published(): StoreView<PodUid, PublishedStatus> {
    return this.#published.view;
  }

  /** Nothing of the pod runs any more, for good. */
  hasEnded(uid: PodUid): boolean {
    return this.#published.get(uid)?.mayRun === false;
  }

  /** Only the pod's worker calls this, with a status that has changed. */
  publish(uid: PodUid, published: PublishedStatus): void {
    this.#published.set(uid, published);
  }

  podGone({ uid }: { readonly uid: PodUid }): void {
    this.#published.delete(uid);
  }
}
