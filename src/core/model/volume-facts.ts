/** What is known about a pod's volumes when it is decided what happens to the pod. */

export interface VolumeFacts {
  /** Every volume a container uses is set up: containers may start. */
  readonly ready: boolean;
  /** Something of them may be there: it goes before the pod does. After a start of the agent that is the case. */
  readonly held: boolean;
  /** When an object they show last changed: a failure before that is not waited out. */
  readonly changedAtMs?: number;
}

/** A pod of which no volume is set up. */
export const NO_VOLUMES: VolumeFacts = { ready: true, held: false };
