import type { Pod } from '../../core/api/pod.ts';
import type { GrantedResources } from '../../core/model/granted-resources.ts';
import type { PodUid } from '../../core/model/ids.ts';

/** What pods were granted, which may lag behind what their spec asks for. */
export interface GrantedPods {
  /** The pod with the resources it was granted. */
  apply(pod: Pod): Pod;
  grant(pod: Pod): void;
  /** Whether the pod was granted anything, also in an earlier life of the agent. */
  has(uid: PodUid): boolean;
  /** What was last put in force. */
  actuated(uid: PodUid): GrantedResources | undefined;
}
