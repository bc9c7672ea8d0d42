/** The plain fields of a pod's status that the kubelet writes; conditions and lists of addresses are merged. */
import type { PodStatus } from '../api/pod-status.ts';

export const OWN_FIELDS = [
  'observedGeneration',
  'phase',
  'reason',
  'message',
  'hostIP',
  'podIP',
  'startTime',
  'qosClass',
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
  'resources',
  'allocatedResources',
] as const satisfies readonly (keyof PodStatus)[];
