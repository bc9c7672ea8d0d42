/**
 * The agreement between this node and the controller that attaches volumes to
 * it: a volume the node reports in use is not detached, and one it waits for
 * appears in the node's status once attached. Volumes go by the names that
 * the node's status has, such as `kubernetes.io/csi/<driver>^<handle>`.
 */
export interface VolumeAttachments {
  /** The pod needs the volume from now on; the next node status reports it in use. */
  hold(name: string, podUid: string): void;
  /** Nothing of the volume is left on the node for the pod. */
  release(name: string, podUid: string): void;
  /**
   * Resolves to true when the node has reported the volume in use and its status
   * shows the volume attached; to false when that takes too long or
   * `signal` aborts.
   */
  whenAttached(name: string, signal: AbortSignal): Promise<boolean>;
  /** The device path the attacher reported; empty when it reported none. */
  devicePathOf(name: string): string;
}

/** The same agreement from the side of the pod. */
export interface PodAttachments {
  /** The pod needs none of its volumes any more, including those that were never attached. */
  forgetPod(podUid: string): void;
}
