/**
 * Static pods that ask for CPUs or devices of their own, and whose admission
 * waits for their predecessor of the same name: it keeps what it has until
 * nothing of it is left, and the next one would be refused for lack of what
 * it is about to inherit. At a start a predecessor is known only once the
 * runtime was read, and what pods have that are gone is taken back only after
 * a delivery, so none is judged before both. Others are judged at once and
 * wait only with their start (../pod/pod-supervisor.ts).
 */
import { fullName, isStatic } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';

export class Successors {
  readonly #waiting = new Map<PodUid, string>();
  #isOpen = false;

  /** The pod stays known here until it is taken. */
  hold({ uid, pod }: DesiredPod): void {
    this.#waiting.set(uid, fullName(pod));
  }

  /** Every predecessor from an earlier life of the agent has a record now: held pods may be taken. */
  open(): void {
    this.#isOpen = true;
  }

  /** The pods held, of one name or all, first come first; they are held no longer. None before `open`. */
  take(name?: string): PodUid[] {
    if (!this.#isOpen) return [];
    const isTaken = (held: string): boolean => name === undefined || held === name;
    const taken = [...this.#waiting].filter(([, held]) => isTaken(held)).map(([uid]) => uid);
    for (const uid of taken) this.#waiting.delete(uid);
    return taken;
  }
}

/** Whether one of `records` has the pod's name and still has to end. */
export function hasPredecessor({ uid, pod }: DesiredPod, records: Iterable<DesiredPod>): boolean {
  const name = fullName(pod);
  return [...records].some(
    (other) =>
      other.uid !== uid &&
      other.termination !== undefined &&
      (other.source === 'runtime' || isStatic(other.pod)) &&
      fullName(other.pod) === name,
  );
}
