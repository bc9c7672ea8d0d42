/** The pods of this node as tools see them: what is wanted, with the status that was published last. */
import type { StoreView } from '../../base/store.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, parsePodUid } from '../../core/model/ids.ts';
import type { PodCatalog, PodChange } from '../../ports/pod-catalog.ts';
import type { PublishedStatus } from './status-board.ts';

export interface PublishedPodsParts {
  readonly records: StoreView<PodUid, DesiredPod>;
  readonly published: StoreView<PodUid, PublishedStatus>;
}

export class PublishedPods implements PodCatalog {
  readonly #parts: PublishedPodsParts;

  constructor(parts: PublishedPodsParts) {
    this.#parts = parts;
  }

  list(): Pod[] {
    const pods = [...this.#parts.records.values()].flatMap((record) => this.#toPod(record) ?? []);
    return pods.sort((a, b) => (a.metadata.uid < b.metadata.uid ? -1 : 1));
  }

  find(uid: string): Pod | undefined {
    const parsed = parsePodUid(uid);
    const record = parsed === undefined ? undefined : this.#parts.records.get(parsed);
    return record === undefined ? undefined : this.#toPod(record);
  }

  onChange(listener: (change: PodChange) => void): Disposable {
    const { records, published } = this.#parts;
    const known = new Map<PodUid, Pick<Pod, 'metadata'>>();
    for (const [uid, { pod }] of published.entries()) known.set(uid, toIdentity(pod));
    return published.subscribe((uid, status) => {
      const before = known.get(uid);
      if (status === undefined) {
        known.delete(uid);
        if (before !== undefined) listener({ kind: 'deleted', pod: before });
        return;
      }
      // A pod that only the runtime has is none of this node's.
      if (records.get(uid)?.source === 'runtime') return;
      const pod = { ...status.pod, status: status.status };
      known.set(uid, toIdentity(pod));
      listener({ kind: before === undefined ? 'added' : 'modified', pod });
    });
  }

  #toPod({ uid, pod, source }: DesiredPod): Pod | undefined {
    if (source === 'runtime') return undefined;
    const status = this.#parts.published.get(uid)?.status;
    return status === undefined ? pod : { ...pod, status };
  }
}

function toIdentity({ metadata: { name, namespace, uid } }: Pod): Pick<Pod, 'metadata'> {
  return { metadata: { name, namespace, uid } };
}
