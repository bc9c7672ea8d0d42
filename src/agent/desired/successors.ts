/**
 * Static pods whose admission waits for their predecessor of the same name:
 * it keeps its CPUs and devices until nothing of it is left, and the next one
 * would be refused for lack of what it is about to inherit. Others are judged
 * at once and wait only with their start (../pod/pod-supervisor.ts).
 */
import { fullName, isStatic } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';

export class Successors {
  readonly #waiting = new Map<PodUid, string>();

  /** Whether the pod waits for one of `records`; it then stays known here until it is taken. */
  noteIfWaiting({ uid, pod }: DesiredPod, records: Iterable<DesiredPod>): boolean {
    if (!isStatic(pod)) return false;
    const name = fullName(pod);
    const isBefore = (other: DesiredPod): boolean =>
      other.uid !== uid &&
      other.termination !== undefined &&
      (other.source === 'runtime' || isStatic(other.pod)) &&
      fullName(other.pod) === name;
    const waits = [...records].some(isBefore);
    if (waits) this.#waiting.set(uid, name);
    return waits;
  }

  /** The pods that waited for one of this name, first come first; they wait no longer. */
  take(name: string): PodUid[] {
    const taken = [...this.#waiting].filter(([, waitsFor]) => waitsFor === name).map(([uid]) => uid);
    for (const uid of taken) this.#waiting.delete(uid);
    return taken;
  }
}
