/** What a pod as its source delivers it says: whether it ends, whether it differs from what is known, its age. */
import type { Pod } from '../../core/api/pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { isSameDesire, isSameForeign } from '../../core/pod/desire.ts';
import { isTerminalPhase } from '../../core/status/phase.ts';

/** The end that the pod itself asks for. */
export function toEnd({ metadata, status }: Pod): 'deleted' | 'completed' | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'deleted';
  return isTerminalPhase(status?.phase) ? 'completed' : undefined;
}

/** Whether the new version says nothing new: a terminal phase that others gave the pod counts as new too. */
export function isSameToUs(known: Pod, pod: Pod): boolean {
  // A spec that asks for what was not granted differs by its generation only.
  const isSameGeneration = known.metadata.generation === pod.metadata.generation;
  return (
    isSameGeneration && isSameDesire(known, pod) && isSameForeign(known, pod) && toEnd(known) === toEnd(pod)
  );
}

/** What is known of the pods of a source. */
export interface KnownPods {
  /** As they were delivered last. */
  readonly before: ReadonlyMap<PodUid, Pod>;
  readonly isJudged: (uid: PodUid) => boolean;
  readonly wasGranted: (uid: PodUid) => boolean;
}

/**
 * The pods of one delivery that have to be judged. Every change of one pod brings all of them, so what is the same
 * object as before gets no second look. First come those that were granted something before, as after a restart:
 * they may run and keep it; then the oldest. Where there is no room for all, those that were there before stay.
 */
export function listNews(
  pods: ReadonlyMap<PodUid, Pod>,
  { before, isJudged, wasGranted }: KnownPods,
): (readonly [PodUid, Pod])[] {
  const rank = (uid: PodUid): number => (wasGranted(uid) ? 0 : 1);
  return [...pods]
    .filter(([uid, pod]) => before.get(uid) !== pod || !isJudged(uid))
    .sort(([one, a], [other, b]) => rank(one) - rank(other) || compareAge(a, b));
}

function compareAge(a: Pod, b: Pod): number {
  const bornAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
  return bornAt(a) === bornAt(b) ? 0 : bornAt(a) < bornAt(b) ? -1 : 1;
}
