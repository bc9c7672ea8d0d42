/**
 * What projected volumes show besides objects and tokens: trust anchors of the
 * cluster and certificates of the pod. A refusal carries the text the user
 * sees. Never rejects.
 */

import { type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PodCertificateSource, TrustBundleSource } from '../../core/api/volume.ts';

export interface ProjectedCertificateRequest {
  readonly pod: Pod;
  /** The pod's volume and the place of the source in it: each has a certificate of its own. */
  readonly volume: string;
  readonly index: number;
  readonly source: PodCertificateSource;
  readonly warn: (reason: string, message: string) => void;
}

export interface PodCertificate {
  /** PEM. */
  readonly key: string;
  readonly chain: string;
  /** When to ask again. */
  readonly refreshAtMs: number;
}

export interface ProjectedCredentials {
  /** Certificates in PEM. */
  trustAnchors(source: TrustBundleSource, signal?: AbortSignal): Promise<Outcome<string>>;
  certificate(request: ProjectedCertificateRequest, signal?: AbortSignal): Promise<Outcome<PodCertificate>>;
  /** Calls `onChange` when an answer for this pod may have changed; dispose to stop. */
  subscribe(podUid: string, onChange: () => void): Disposable;
  /** The pod's volumes are gone. */
  forget(podUid: string): void;
}

/** Standalone, and where the features are off. */
export const noCredentials: ProjectedCredentials = {
  trustAnchors: async () => refuse('ClusterTrustBundle projection is not supported in static kubelet mode'),
  certificate: async () => refuse('unimplemented'),
  subscribe: () => ({ [Symbol.dispose]: () => {} }),
  forget: () => {},
};
