/** A pod the node should run or is ending: the record that the worker and all other parts read. */
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
  /** Admission is still undecided: nothing is done for the pod yet. */
  readonly undecided?: true;
}
