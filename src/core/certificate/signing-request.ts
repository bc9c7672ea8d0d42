/**
 * The API object that asks for a certificate: how it is written and what its
 * state means.
 *
 *   pending ──► approved ──► issued
 *      └──► refused (denied, failed, deleted, or replaced by another)
 */
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

export type KeyUsage = 'digital signature' | 'client auth' | 'server auth';

export const CLIENT_USAGES: readonly KeyUsage[] = ['digital signature', 'client auth'];
export const SERVING_USAGES: readonly KeyUsage[] = ['digital signature', 'server auth'];

export interface SigningCondition {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CertificateSigningRequest {
  readonly metadata: { readonly name: string; readonly uid?: string; readonly resourceVersion?: string };
  readonly spec: {
    /** Base64 of PEM. */
    readonly request: string;
    readonly signerName: string;
    readonly usages?: readonly string[];
  };
  readonly status?: {
    readonly conditions?: readonly SigningCondition[];
    /** Base64 of PEM. */
    readonly certificate?: string;
  };
}

export interface SigningRequestParts {
  /** A name drawn by the API server when left out. */
  readonly name?: string;
  /** Base64 of the PEM text. */
  readonly request: string;
  readonly signerName: string;
  readonly usages: readonly KeyUsage[];
}

export function toSigningRequest({ name, request, signerName, usages }: SigningRequestParts): object {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: name === undefined ? { generateName: 'csr-' } : { name },
    spec: { request, signerName, usages },
  };
}

export type SigningOutcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'issued'; readonly certificate: string }
  | { readonly kind: 'refused'; readonly message: string };

/** What the object says to whoever made the one with this UID. */
export function decideSigningOutcome(
  { metadata, status }: CertificateSigningRequest,
  uid: string,
): SigningOutcome {
  if (metadata.uid !== uid) return { kind: 'refused', message: 'another request bears its name now' };
  const conditions = status?.conditions ?? [];
  const refusal = conditions.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (refusal !== undefined) {
    const { type, reason = '', message = '' } = refusal;
    const verdict = type === 'Denied' ? 'is denied' : 'failed';
    return { kind: 'refused', message: `it ${verdict}, reason: ${reason}, message: ${message}` };
  }
  const certificate = status?.certificate ?? '';
  const approved = conditions.some(({ type }) => type === 'Approved');
  return approved && certificate !== '' ? { kind: 'issued', certificate } : { kind: 'pending' };
}
