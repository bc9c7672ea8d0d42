/** Where a certificate of the node and its key are kept, and how a request for the next one is made. */
import type { CertificateTemplate } from '../../core/certificate/certificate-template.ts';
import type { CertificateFacts } from '../../core/certificate/decide-rotation.ts';

/** A pair that was checked to belong together. Holds a private key: never logged. */
export interface StoredCertificate extends CertificateFacts {
  /** PEM, the leaf first. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

export interface CertificateStore {
  /** The pair in use, expired or not; undefined when there is none. Rejects with AgentError when it is unreadable. */
  read(): Promise<StoredCertificate | undefined>;
  /** Checks the pair and makes it the one in use. Rejects with AgentError; what was in use stays then. */
  write(certificate: string, key: string): Promise<StoredCertificate>;
}

export interface SigningRequest {
  /** PEM. */
  readonly request: string;
  /** PEM of the private key; this is the only copy. */
  readonly key: string;
}

/** Makes a request, for a new key. */
export type MakeRequest = (template: CertificateTemplate) => SigningRequest;
