/**
 * The request for a pod's certificate, the meaning of its answer, and the
 * resulting state of the certificate. An answered request never changes:
 * issued, denied and failed are final.
 */
import type { Pod } from '../api/pod.ts';
import type { PodCertificateSource } from '../api/volume.ts';

export interface StoredPodCertificateRequest {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly certificateChain?: string;
    readonly beginRefreshAt?: string;
    readonly notAfter?: string;
  };
}

export interface RequestNames {
  readonly accountName: string;
  readonly accountUid: string;
  readonly nodeName: string;
  readonly nodeUid: string;
}

export type PodCertificateAnswer =
  | {
      readonly kind: 'issued';
      readonly chain: string;
      /** Undefined when the signer did not set it. */
      readonly beginRefreshAtMs: number | undefined;
      readonly expiresAtMs: number;
    }
  | {
      readonly kind: 'refused';
      readonly condition: 'Denied' | 'Failed';
      /** For the caller that waits for the volume. */
      readonly message: string;
      /** For the pod's event. */
      readonly eventMessage: string;
    };

/** As the metric names them. */
export type PodCertificateState =
  | 'not_yet_issued'
  | 'fresh'
  | 'overdue_for_refresh'
  | 'expired'
  | 'denied'
  | 'failed';

/** How overdue the refresh of a certificate may be before it is reported. */
const OVERDUE_MS = 10 * 60_000;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** `proof` is the empty certificate request in DER, as base64. */
export function toPodCertificateRequest(
  { metadata }: Pod,
  { signerName, maxExpirationSeconds, userAnnotations }: PodCertificateSource,
  { accountName, accountUid, nodeName, nodeUid }: RequestNames,
  proof: string,
): object {
  const { name, uid, namespace } = metadata;
  return {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'PodCertificateRequest',
    metadata: {
      namespace,
      generateName: 'req-',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
    },
    spec: {
      signerName,
      podName: name,
      podUID: uid,
      serviceAccountName: accountName,
      serviceAccountUID: accountUid,
      nodeName,
      nodeUID: nodeUid,
      ...(maxExpirationSeconds === undefined ? {} : { maxExpirationSeconds }),
      stubPKCS10Request: proof,
      ...(userAnnotations === undefined ? {} : { unverifiedUserAnnotations: userAnnotations }),
    },
  };
}

/** Undefined while there is no answer. */
export function toPodCertificateAnswer({
  metadata,
  status,
}: StoredPodCertificateRequest): PodCertificateAnswer | undefined {
  const met = status?.conditions?.find((condition) => condition.status === 'True');
  if (met?.type === 'Issued') {
    const expiresAtMs = Date.parse(status?.notAfter ?? '');
    const beginRefreshAtMs = Date.parse(status?.beginRefreshAt ?? '');
    return {
      kind: 'issued',
      chain: toChain(status?.certificateChain ?? ''),
      beginRefreshAtMs: Number.isNaN(beginRefreshAtMs) ? undefined : beginRefreshAtMs,
      expiresAtMs: Number.isNaN(expiresAtMs) ? Number.POSITIVE_INFINITY : expiresAtMs,
    };
  }
  if (met?.type !== 'Denied' && met?.type !== 'Failed') return undefined;
  const reason = JSON.stringify(met.reason ?? '');
  const message = JSON.stringify(met.message ?? '');
  const verb = met.type.toLowerCase();
  const was = met.type === 'Denied' ? 'was denied' : 'failed';
  const outcome = `PodCertificateRequest ${metadata.namespace}/${metadata.name} ${was}, reason=${reason}, message=${message}`;
  return {
    kind: 'refused',
    condition: met.type,
    message: `PodCertificateRequest was permanently ${verb}: reason=${reason} message=${message}`,
    eventMessage: met.reason ? `${met.reason}: ${outcome}` : outcome,
  };
}

/** Of a certificate that was to be refreshed at `refreshAtMs`. */
export function computeCertificateState(
  { refreshAtMs, expiresAtMs }: { readonly refreshAtMs: number; readonly expiresAtMs: number },
  nowMs: number,
): 'fresh' | 'overdue_for_refresh' | 'expired' {
  if (nowMs > expiresAtMs) return 'expired';
  return nowMs > refreshAtMs + OVERDUE_MS ? 'overdue_for_refresh' : 'fresh';
}

/** Certificates only, without headers or what stands between them. */
function toChain(text: string): string {
  const blocks = text.match(PEM) ?? [];
  return blocks.map((block) => `${block}\n`).join('');
}
