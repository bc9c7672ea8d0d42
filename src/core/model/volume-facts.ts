/** What is known about a pod's volumes at the time of a decision. */

export interface VolumeFacts {
  /** Every volume a container uses is set up: containers may start. */
  readonly ready: boolean;
  /** Some of them may be set up and must be removed before the pod; assumed after a start of the agent. */
  readonly held: boolean;
  /** When an object they show last changed: the back-off of a failure before that is cut short. */
  readonly changedAtMs?: number;
}
