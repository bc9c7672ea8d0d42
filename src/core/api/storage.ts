/**
 * CSIDriver, CSINode and VolumeAttachment, as the Kubernetes API writes them
 * in JSON (storage.k8s.io/v1, Kubernetes 1.36). Only types, and of those the
 * fields that the agent reads or writes. Objects are carried along whole.
 */
import type { OwnerReference, StringMap } from './meta.ts';

interface ClusterMeta {
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly annotations?: StringMap;
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface CsiDriverObject {
  readonly metadata: ClusterMeta;
  readonly spec: CsiDriverSpec;
}

export interface CsiDriverSpec {
  readonly attachRequired?: boolean;
  readonly podInfoOnMount?: boolean;
  readonly volumeLifecycleModes?: readonly CsiLifecycleMode[];
  readonly fsGroupPolicy?: string;
  readonly tokenRequests?: readonly { readonly audience: string; readonly expirationSeconds?: number }[];
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
}

export type CsiLifecycleMode = 'Persistent' | 'Ephemeral';

export interface CsiNodeObject {
  readonly apiVersion?: 'storage.k8s.io/v1';
  readonly kind?: 'CSINode';
  readonly metadata: ClusterMeta;
  readonly spec: { readonly drivers: readonly CsiNodeDriver[] };
}

export interface CsiNodeDriver {
  readonly name: string;
  readonly nodeID: string;
  readonly topologyKeys?: readonly string[] | null;
  readonly allocatable?: { readonly count?: number };
}

export interface VolumeAttachment {
  readonly metadata: ClusterMeta;
  readonly spec: { readonly attacher: string; readonly nodeName: string };
  readonly status?: {
    readonly attached: boolean;
    readonly attachmentMetadata?: StringMap;
    readonly attachError?: { readonly message?: string; readonly errorCode?: number };
  };
}
