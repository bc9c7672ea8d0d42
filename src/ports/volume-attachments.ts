/**
 * The agreement between this node and whoever attaches volumes to it: a
 * volume the node says it uses is not taken from it, and one it waits for
 * shows in the node's status when it is there. Volumes go by the names that
 * the node's status has, such as `kubernetes.io/csi/<driver>^<handle>`.
 */
export interface VolumeAttachments {
  /** The pod needs the volume from now on; the node says so with its next report. */
  hold(name: string, podUid: string): void;
  /** Nothing of the volume is left on the node for the pod. */
  release(name: string, podUid: string): void;
  /**
   * Resolves when the node has said that it uses the volume and its status
   * shows the volume attached: true; false when that takes too long or
   * `signal` aborts.
   */
  whenAttached(name: string, signal: AbortSignal): Promise<boolean>;
  /** The device that the attacher tells of; empty when it tells none. */
  devicePathOf(name: string): string;
}

/** The same agreement from the side of the pod. */
export interface PodAttachments {
  /** The pod needs none of its volumes any more, also none that never came. */
  forgetPod(podUid: string): void;
}
