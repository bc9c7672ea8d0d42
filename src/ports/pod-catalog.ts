/** The pods of this node with the status the agent published last, for tools on this machine. Answers at once. */
import type { Pod } from '../core/api/pod.ts';

export interface PodChange {
  readonly kind: 'added' | 'modified' | 'deleted';
  /** Of one that was deleted, no more than its name, namespace and UID is certain. */
  readonly pod: Pick<Pod, 'metadata'>;
}

export interface PodCatalog {
  /** In the order of their UIDs. */
  list(): Pod[];
  find(uid: string): Pod | undefined;
  /** Calls `listener` after every change of a status; dispose the result to stop. */
  onChange(listener: (change: PodChange) => void): Disposable;
}
