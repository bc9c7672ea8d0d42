/**
 * Volume sources of a pod, as the API writes them. A volume carries exactly
 * one source; which one is decided by the key that is present.
 */
import type { LabelSelector } from './label-selector.ts';
import type { StringMap } from './meta.ts';
import type { ResourceFieldSelector } from './pod.ts';

export interface Volume {
  readonly name: string;
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
  readonly configMap?: {
    readonly name?: string;
    readonly items?: readonly KeyToPath[];
    readonly defaultMode?: number;
    readonly optional?: boolean;
  };
  readonly secret?: {
    readonly secretName?: string;
    readonly items?: readonly KeyToPath[];
    readonly defaultMode?: number;
    readonly optional?: boolean;
  };
  readonly downwardAPI?: { readonly items?: readonly DownwardApiFile[]; readonly defaultMode?: number };
  readonly projected?: { readonly sources?: readonly ProjectedSource[]; readonly defaultMode?: number };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly csi?: {
    readonly driver: string;
    readonly readOnly?: boolean;
    readonly fsType?: string;
    readonly volumeAttributes?: Readonly<Record<string, string>>;
    readonly nodePublishSecretRef?: { readonly name?: string };
  };
  readonly ephemeral?: { readonly volumeClaimTemplate?: unknown };
  readonly image?: { readonly reference?: string; readonly pullPolicy?: string };
  readonly nfs?: { readonly server: string; readonly path: string; readonly readOnly?: boolean };
  readonly iscsi?: IscsiSource;
  readonly fc?: FcSource;
  readonly flexVolume?: FlexSource;
  readonly glusterfs?: unknown;
  readonly azureFile?: unknown;
  readonly azureDisk?: unknown;
  readonly awsElasticBlockStore?: unknown;
  readonly cephfs?: NetworkSource;
  readonly cinder?: NetworkSource;
  readonly flocker?: unknown;
  readonly gcePersistentDisk?: unknown;
  readonly gitRepo?: unknown;
  readonly photonPersistentDisk?: unknown;
  readonly portworxVolume?: unknown;
  readonly quobyte?: unknown;
  readonly rbd?: NetworkSource;
  readonly scaleIO?: NetworkSource;
  readonly storageos?: NetworkSource;
  readonly vsphereVolume?: unknown;
}

/** A disk behind an iSCSI target. In a persistent volume the secret may be of another namespace. */
export interface IscsiSource {
  readonly targetPortal?: string;
  readonly portals?: readonly string[];
  readonly iqn?: string;
  readonly lun?: number;
  readonly iscsiInterface?: string;
  readonly initiatorName?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: { readonly name?: string; readonly namespace?: string };
}

/** A Fibre Channel disk: by the names of its ports and its number there, or by its own ids. */
export interface FcSource {
  readonly targetWWNs?: readonly string[];
  readonly lun?: number;
  readonly wwids?: readonly string[];
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

/** What an executable on the node mounts. */
export interface FlexSource {
  readonly driver?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly options?: StringMap;
  readonly secretRef?: { readonly name?: string; readonly namespace?: string };
}

/** What the agent reads of an old in-tree network source: the Secret it names. */
export interface NetworkSource {
  readonly secretRef?: { readonly name?: string };
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

export interface DownwardApiFile {
  readonly path: string;
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly mode?: number;
}

export interface ProjectedSource {
  readonly configMap?: {
    readonly name?: string;
    readonly items?: readonly KeyToPath[];
    readonly optional?: boolean;
  };
  readonly secret?: {
    readonly name?: string;
    readonly items?: readonly KeyToPath[];
    readonly optional?: boolean;
  };
  readonly downwardAPI?: { readonly items?: readonly DownwardApiFile[] };
  readonly serviceAccountToken?: {
    readonly path: string;
    readonly audience?: string;
    readonly expirationSeconds?: number;
  };
  readonly clusterTrustBundle?: TrustBundleSource;
  readonly podCertificate?: PodCertificateSource;
}

/** By name, or by signer and labels. */
export interface TrustBundleSource {
  readonly path: string;
  readonly name?: string;
  readonly signerName?: string;
  readonly labelSelector?: LabelSelector;
  readonly optional?: boolean;
}

export interface PodCertificateSource {
  readonly keyType: string;
  readonly signerName: string;
  readonly maxExpirationSeconds?: number;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly certificateChainPath?: string;
  readonly userAnnotations?: StringMap;
}
