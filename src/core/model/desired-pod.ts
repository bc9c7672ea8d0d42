/** A pod the node should run, or is ending: the record of it that the worker and everyone else reads. */
import type { Pod } from '../api/pod.ts';
import type { PodUid } from './ids.ts';
import type { PodSourceName } from './pod-source-name.ts';
import type { Termination } from './termination.ts';

export interface DesiredPod {
  readonly uid: PodUid;
  /** With the resources it was granted, which its source may want changed. */
  readonly pod: Pod;
  /** `runtime` for a pod only the runtime knows. */
  readonly source: PodSourceName | 'runtime';
  /** Arrival number: older pods go first through the start gate. */
  readonly order: number;
  readonly termination?: Termination;
  /** Whether the node takes the pod is still being found out: nothing is done for it yet. */
  readonly undecided?: true;
}
