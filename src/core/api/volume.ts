/**
 * Volume sources of a pod, as the API writes them. A volume carries exactly
 * one source; which one is decided by the key that is present.
 */

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
  readonly downwardAPI?: { readonly items?: readonly unknown[]; readonly defaultMode?: number };
  readonly projected?: { readonly sources?: readonly ProjectedSource[]; readonly defaultMode?: number };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly csi?: { readonly driver: string; readonly readOnly?: boolean };
  readonly ephemeral?: { readonly volumeClaimTemplate?: unknown };
  readonly image?: { readonly reference?: string; readonly pullPolicy?: string };
  readonly nfs?: { readonly server: string; readonly path: string; readonly readOnly?: boolean };
  readonly iscsi?: unknown;
  readonly fc?: unknown;
  readonly flexVolume?: unknown;
  readonly glusterfs?: unknown;
  readonly azureFile?: unknown;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

export interface ProjectedSource {
  readonly configMap?: { readonly name?: string };
  readonly secret?: { readonly name?: string };
  readonly downwardAPI?: unknown;
  readonly serviceAccountToken?: { readonly path: string };
  readonly clusterTrustBundle?: unknown;
  readonly podCertificate?: unknown;
}
