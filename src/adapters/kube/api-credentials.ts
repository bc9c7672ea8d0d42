/** Trust anchors and pod certificates from the API server, each where its feature is on. */
import type { ProjectedCredentials } from '../../ports/projected-credentials.ts';
import { noCredentials } from '../../ports/projected-credentials.ts';
import type { PodCertificates } from './pod-certificates.ts';
import type { TrustBundles } from './trust-bundles.ts';

export function createApiCredentials(
  bundles: TrustBundles | undefined,
  certificates: PodCertificates | undefined,
): ProjectedCredentials & { close(): void } {
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
    forget: (podUid) => certificates?.forget(podUid),
    close: () => {
      bundles?.close();
      certificates?.close();
    },
  };
}
