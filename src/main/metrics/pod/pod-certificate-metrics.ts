/** The metric of certificates that pods have through projected volumes. */
import type { ApiCredentials } from '../../../adapters/kube/objects/api-credentials.ts';
import { Gauge, type MetricRegistry } from '../../../base/metric-registry.ts';

/** Adds the family where pods may have certificates; it is filled at every scrape. */
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
