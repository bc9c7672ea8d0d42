/** Ends one pod for the sake of the node, through the one door, with its event and its count. */
import type { Pod } from '../../core/api/pod.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { EvictionText } from '../../core/eviction/eviction-message.ts';
import { toDisruptionCondition } from '../../core/model/disruption-condition.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';

export interface PodEviction {
  readonly text: EvictionText;
  /** The label of the metric: a signal or the limit that was exceeded. */
  readonly signal: string;
  readonly graceSeconds: number;
  /** A pod that exceeds its own limit is not disrupted by others. */
  readonly isDisruption: boolean;
}

export interface EvictPodParts {
  readonly kit: Pick<Kit, 'clock' | 'events' | 'logger' | 'meter'>;
  readonly desired: Pick<DesiredPods, 'requestTermination'>;
}

/** False when the pod is not known any more. */
export function evictPod({ kit, desired }: EvictPodParts, pod: Pod, eviction: PodEviction): boolean {
  const { text, signal, graceSeconds, isDisruption } = eviction;
  const { message, annotations } = text;
  const podUid: PodUid = toPodUid(pod.metadata.uid);
  const conditions = isDisruption ? [toDisruptionCondition(pod, message)] : [];
  const verdict = { reason: 'Evicted', message, conditions };
  if (!desired.requestTermination(podUid, { cause: 'evicted', graceSeconds, verdict })) return false;
  kit.logger.info('evicting a pod', { pod: podRef(pod), podUid, signal, message, graceSeconds });
  kit.events.record({ about: { pod }, type: 'Warning', reason: 'Evicted', message, annotations });
  kit.meter.evicted(signal);
  return true;
}
