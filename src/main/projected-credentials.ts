/** Builds what serves trust anchors and pod certificates, as far as their features are on. */
import { createApiCredentials } from '../adapters/kube/api-credentials.ts';
import { type PodCertificateSettings, PodCertificates } from '../adapters/kube/pod-certificates.ts';
import { type TrustBundleSettings, TrustBundles } from '../adapters/kube/trust-bundles.ts';
import type { LoadedConfiguration } from './config/load-configuration.ts';

export type ApiCredentials = ReturnType<typeof createApiCredentials>;

export function composeCredentials(
  { features }: Pick<LoadedConfiguration, 'features'>,
  settings: PodCertificateSettings & TrustBundleSettings,
): ApiCredentials {
  return createApiCredentials(
    features.enabled('ClusterTrustBundleProjection') ? new TrustBundles(settings) : undefined,
    features.enabled('PodCertificateRequest') ? new PodCertificates(settings) : undefined,
  );
}
