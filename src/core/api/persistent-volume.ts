/**
 * PersistentVolume and PersistentVolumeClaim, as the Kubernetes API writes
 * them in JSON (v1, Kubernetes 1.36). Only types, and of those the fields
 * that the agent reads. Objects are carried along whole.
 */
import type { OwnerReference, StringMap } from './meta.ts';
import type { Volume } from './volume.ts';

export interface PersistentVolumeClaim {
  readonly apiVersion?: 'v1';
  readonly kind?: 'PersistentVolumeClaim';
  readonly metadata: StorageMeta & { readonly namespace: string };
  readonly spec: {
    readonly accessModes?: readonly string[];
    readonly volumeName?: string;
    readonly volumeMode?: VolumeMode;
    readonly storageClassName?: string;
    readonly resources?: { readonly requests?: StringMap };
  };
  readonly status?: {
    readonly phase?: string;
    readonly capacity?: StringMap;
    readonly accessModes?: readonly string[];
    readonly allocatedResources?: StringMap;
    readonly allocatedResourceStatuses?: StringMap;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface PersistentVolume {
  readonly apiVersion?: 'v1';
  readonly kind?: 'PersistentVolume';
  readonly metadata: StorageMeta;
  readonly spec: PersistentVolumeSpec;
}

export interface StorageMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

export type VolumeMode = 'Filesystem' | 'Block';

export interface PersistentVolumeSpec extends PersistentVolumeSources {
  readonly capacity?: StringMap;
  readonly accessModes?: readonly string[];
  readonly volumeMode?: VolumeMode;
  readonly mountOptions?: readonly string[];
  readonly storageClassName?: string;
  readonly persistentVolumeReclaimPolicy?: string;
  readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
  readonly nodeAffinity?: { readonly required?: NodeSelector };
}

export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Exactly one is there. Most are written as in a pod. */
export interface PersistentVolumeSources
  extends Pick<
    Volume,
    | 'hostPath'
    | 'nfs'
    | 'iscsi'
    | 'fc'
    | 'flexVolume'
    | 'glusterfs'
    | 'azureFile'
    | 'azureDisk'
    | 'awsElasticBlockStore'
    | 'cephfs'
    | 'cinder'
    | 'flocker'
    | 'gcePersistentDisk'
    | 'photonPersistentDisk'
    | 'portworxVolume'
    | 'quobyte'
    | 'rbd'
    | 'scaleIO'
    | 'storageos'
    | 'vsphereVolume'
  > {
  readonly local?: { readonly path: string; readonly fsType?: string };
  readonly csi?: CsiPersistentVolumeSource;
}

export interface CsiPersistentVolumeSource {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: StringMap;
  readonly controllerPublishSecretRef?: SecretReference;
  readonly nodeStageSecretRef?: SecretReference;
  readonly nodePublishSecretRef?: SecretReference;
  readonly nodeExpandSecretRef?: SecretReference;
}

export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}
