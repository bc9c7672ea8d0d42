/**
 * PodStatus as the API writes it. Computed by core/status, published by the
 * status reporter, served on /pods.
 */
import type { ResourceList, ResourceRequirements } from './pod.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export type PodQosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Exactly one of the keys is set; none means waiting. */
export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: ContainerStateTerminated;
}

export interface ContainerStateTerminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly state: ContainerState;
  readonly lastState: ContainerState;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly started?: boolean;
  readonly allocatedResources?: ResourceList;
  readonly resources?: ResourceRequirements;
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
    readonly recursiveReadOnly?: string;
  }[];
  readonly user?: {
    readonly linux?: {
      readonly uid: number;
      readonly gid: number;
      readonly supplementalGroups?: readonly number[];
    };
  };
  readonly stopSignal?: string;
  readonly allocatedResourcesStatus?: readonly AllocatedResourceStatus[];
}

/** The health of what a container was given of one resource. */
export interface AllocatedResourceStatus {
  /** Of the resource; for claims `claim:<name>` or `claim:<name>/<request>`. */
  readonly name: string;
  readonly resources: readonly {
    readonly resourceID: string;
    /** `Healthy`, `Unhealthy` or `Unknown`. */
    readonly health: string;
    readonly message?: string;
  }[];
}

export interface PodStatus {
  readonly observedGeneration?: number;
  readonly phase?: PodPhase;
  readonly conditions?: readonly PodCondition[];
  readonly message?: string;
  readonly reason?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly startTime?: string;
  /** Written by the scheduler for a pod that waits for preemption victims to end. */
  readonly nominatedNodeName?: string;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly qosClass?: PodQosClass;
  /** Written by controllers: the claims that were made for the pod. */
  readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
  /** Written by the scheduler: the claim behind extended resources of the pod. */
  readonly extendedResourceClaimStatus?: {
    readonly resourceClaimName: string;
    readonly requestMappings: readonly {
      readonly containerName: string;
      readonly resourceName: string;
      readonly requestName: string;
    }[];
  };
  /** Of the pod as a whole: in force, and granted. */
  readonly resources?: ResourceRequirements;
  readonly allocatedResources?: ResourceList;
}
