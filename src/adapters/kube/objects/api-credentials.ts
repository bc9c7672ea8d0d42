/** Trust anchors and pod certificates from the API server, each where its feature is on. */
import type { ProjectedCredentials } from '../../../ports/cluster/projected-credentials.ts';
import { noCredentials } from '../../../ports/cluster/projected-credentials.ts';
import type { CertificateCount, PodCertificates } from './pod-certificates.ts';
import type { TrustBundles } from './trust-bundles.ts';

export interface ApiCredentials extends ProjectedCredentials {
  /** How many certificates are in which state; undefined where the feature is off. */
  readonly countCertificates: (() => readonly CertificateCount[]) | undefined;
  close(): void;
}

export function createApiCredentials(
  bundles: TrustBundles | undefined,
  certificates: PodCertificates | undefined,
): ApiCredentials {
  return {
    trustAnchors: (source, signal) =>
      bundles?.anchors(source, signal) ?? noCredentials.trustAnchors(source, signal),
    certificate: (request, signal) =>
      certificates?.certificate(request, signal) ?? noCredentials.certificate(request, signal),
    subscribe: (podUid, onChange) => {
      const listening = [bundles?.subscribe(onChange), certificates?.subscribe(podUid, onChange)];
      return {
        [Symbol.dispose]: () => {
          for (const one of listening) one?.[Symbol.dispose]();
        },
      };
    },
    countCertificates: certificates && (() => certificates.count()),
    forget: (podUid) => certificates?.forget(podUid),
    close: () => {
      bundles?.close();
      certificates?.close();
    },
  };
}
