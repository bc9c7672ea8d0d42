/**
 * Starts what keeps the node's certificates good: the client certificate when
 * it is rotated, and the serving certificate when the API server signs it.
 */
import { CertificateFiles } from '../../adapters/tls/certificate-files.ts';
import { makeCertificateRequest } from '../../adapters/tls/certificate-request.ts';
import type { IssuedPair } from '../../adapters/tls/serving-certificate.ts';
import { CertificateRenewer } from '../../agent/certificate/certificate-renewer.ts';
import { toServingTemplate } from '../../core/certificate/certificate-template.ts';
import { SERVING_SIGNER, SERVING_USAGES } from '../../core/certificate/signing-request.ts';
import { addServingCertificateMetrics } from '../metrics/certificate-metrics.ts';
import type { ClusterConnection } from './cluster.ts';
import type { Foundation } from './foundation.ts';

/** Runs in the scope; `onLost` is called when only a new start can give the node its identity back. */
export function keepClientCertificate(
  { logger, scope }: Foundation,
  { identity }: ClusterConnection,
  onLost: () => void,
): void {
  scope.run(
    async (stop) => {
      if (await identity.run(stop)) onLost();
    },
    (error) => logger.error('renewing the client certificate failed', error),
  );
}

/**
 * The serving certificate that the API server's signer gives, kept good in the
 * scope; undefined when it is not asked for. Rejects with AgentError.
 */
export async function keepServingCertificate(
  { loaded, clock, logger, scope, metrics }: Foundation,
  { client, own }: ClusterConnection,
  nodeName: string,
): Promise<IssuedPair | undefined> {
  const { config, flags, features } = loaded;
  const { tlsCertFile, tlsPrivateKeyFile } = config;
  if (!config.serverTLSBootstrap) return undefined;
  const hooks = addServingCertificateMetrics(metrics.registry, clock);
  const namesSuffice = features.enabled('AllowDNSOnlyNodeCSR');
  const renewer = new CertificateRenewer({
    hooks,
    what: 'serving',
    signer: { signerName: SERVING_SIGNER, usages: SERVING_USAGES },
    chooseApi: () => client.api,
    store: new CertificateFiles({
      directory: flags.certDir,
      prefix: 'kubelet-server',
      clock,
      fallback: tlsCertFile === '' ? undefined : { certificate: tlsCertFile, key: tlsPrivateKeyFile },
    }),
    makeRequest: makeCertificateRequest,
    readTemplate: () => toServingTemplate(nodeName, own.current?.status?.addresses ?? [], namesSuffice),
    kit: { clock, random: Math.random, logger },
  });
  await renewer.load();
  hooks.follow(renewer);
  scope.use(own.subscribe(() => renewer.wake()));
  scope.run(
    (stop) => renewer.run(stop),
    (error) => logger.error('renewing the serving certificate failed', error),
  );
  return renewer;
}
