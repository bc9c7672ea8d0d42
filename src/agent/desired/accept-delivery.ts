/** Checks what a source delivers: a pod needs a valid UID and a name of its own. */
import type { Pod } from '../../core/api/pod.ts';
import { describePod, fullName } from '../../core/api/pod-identity.ts';
import { type PodUid, parsePodUid } from '../../core/model/ids.ts';
import type { PodSourceName } from '../../core/model/pod-source-name.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';

/** The pods that can be run; each of the others gets an event. */
export function acceptDelivery(
  events: EventRecorder,
  source: PodSourceName,
  pods: readonly Pod[],
): Map<PodUid, Pod> {
  const names = new Set<string>();
  const accepted = new Map<PodUid, Pod>();
  const ignore = (pod: Pod, why: string): void => {
    const message = `Error validating pod ${describePod(pod)} from ${source} due to ${why}, ignoring`;
    events.record({ about: { pod }, type: 'Warning', reason: 'FailedValidation', message });
  };
  for (const pod of pods) {
    const uid = parsePodUid(pod.metadata.uid);
    const name = fullName(pod);
    if (uid === undefined) ignore(pod, 'invalid UID');
    else if (names.has(name)) ignore(pod, `duplicate pod name "${name}"`);
    else {
      names.add(name);
      accepted.set(uid, pod);
    }
  }
  return accepted;
}
