/** The condition of a pod that the kubelet ends for the sake of the node. */
import type { Pod } from '../api/pod.ts';
import type { PodCondition } from '../api/pod-status.ts';

export function toDisruptionCondition({ metadata: { generation } }: Pod, message: string): PodCondition {
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
