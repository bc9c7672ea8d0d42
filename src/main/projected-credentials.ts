/** Builds what serves trust anchors and pod certificates, as far as their features are on, and its metric. */
import { type ApiCredentials, createApiCredentials } from '../adapters/kube/objects/api-credentials.ts';
import { type PodCertificateSettings, PodCertificates } from '../adapters/kube/objects/pod-certificates.ts';
import { type TrustBundleSettings, TrustBundles } from '../adapters/kube/objects/trust-bundles.ts';
import { Gauge, type MetricRegistry } from '../base/metric-registry.ts';
import type { LoadedConfiguration } from './config/load/load-configuration.ts';

export type { ApiCredentials } from '../adapters/kube/objects/api-credentials.ts';

export function composeCredentials(
  { features }: Pick<LoadedConfiguration, 'features'>,
  settings: PodCertificateSettings & TrustBundleSettings,
): ApiCredentials {
  return createApiCredentials(
    features.enabled('ClusterTrustBundleProjection') ? new TrustBundles(settings) : undefined,
    features.enabled('PodCertificateRequest') ? new PodCertificates(settings) : undefined,
  );
}

/** Adds the family where pods may have certificates; it is filled whenever somebody reads. */
export function describePodCertificates(
  registry: MetricRegistry,
  { countCertificates }: Pick<ApiCredentials, 'countCertificates'>,
): void {
  if (countCertificates === undefined) return;
  const gauge = registry.add(
    new Gauge({
      name: 'kubelet_podcertificate_states',
      help: 'Gauge vector reporting the number of pod certificate projected volume sources, faceted by signer_name and state.',
      labels: ['signer_name', 'state'],
    }),
  );
  registry.onRead(() => {
    gauge.reset();
    for (const { signerName, state, count } of countCertificates())
      gauge.set(count, { signer_name: signerName, state });
  });
}
