/**
 * Node, as the Kubernetes API writes it in JSON (v1, Kubernetes 1.36). Only
 * types. A node that came from the API server is carried along whole: fields
 * that are not named here survive in it, because changes are made by copying.
 */
import type { StringMap } from './meta.ts';
import type { ResourceList } from './pod.ts';

export interface Node {
  readonly apiVersion?: 'v1';
  readonly kind?: 'Node';
  readonly metadata: NodeMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

/** `uid` and `resourceVersion` are there once the API server knows the node. */
export interface NodeMeta {
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
}

export interface NodeSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly providerID?: string;
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface NodeStatus {
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly conditions?: readonly NodeCondition[];
  readonly addresses?: readonly NodeAddress[];
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } };
  readonly nodeInfo?: NodeSystemInfo;
  readonly images?: readonly ContainerImage[];
  readonly volumesInUse?: readonly string[];
  readonly volumesAttached?: readonly AttachedVolume[];
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly features?: { readonly supplementalGroupsPolicy?: boolean };
  readonly declaredFeatures?: readonly string[];
}

export interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

export interface NodeSystemInfo {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly containerRuntimeVersion: string;
  readonly kubeletVersion: string;
  readonly kubeProxyVersion: string;
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly swap?: { readonly capacity?: number };
}

export interface ContainerImage {
  readonly names?: readonly string[];
  readonly sizeBytes?: number;
}

export interface AttachedVolume {
  readonly name: string;
  readonly devicePath: string;
}

export interface NodeRuntimeHandler {
  readonly name: string;
  readonly features?: {
    readonly recursiveReadOnlyMounts?: boolean;
    readonly userNamespaces?: boolean;
  };
}
