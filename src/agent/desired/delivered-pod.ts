/** What a pod as its source delivers it says: whether it ends, whether it differs from what is known, its age. */
import type { Pod } from '../../core/api/pod.ts';
import { isSameDesire, isSameForeign } from '../../core/pod/desire.ts';
import { isTerminalPhase } from '../../core/status/phase.ts';

/** The end that the pod itself asks for. */
export function toEnd({ metadata, status }: Pod): 'deleted' | 'completed' | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'deleted';
  return isTerminalPhase(status?.phase) ? 'completed' : undefined;
}

/** Whether the new version says nothing new: a terminal phase that others gave the pod is news too. */
export function isSameToUs(known: Pod, pod: Pod): boolean {
  // A spec that asks for what was not granted differs by its generation only.
  const isSameGeneration = known.metadata.generation === pod.metadata.generation;
  return (
    isSameGeneration && isSameDesire(known, pod) && isSameForeign(known, pod) && toEnd(known) === toEnd(pod)
  );
}

export function compareAge(a: Pod, b: Pod): number {
  const bornAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
  return bornAt(a) === bornAt(b) ? 0 : bornAt(a) < bornAt(b) ? -1 : 1;
}
