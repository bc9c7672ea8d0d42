/**
 * The connection to the API server: as whom the node talks to it, what it
 * says about pods and their surroundings, and where events go. The API server
 * being away delays what comes from there, never static pods.
 */
import { type ApiClient, createApiClient } from '../../adapters/kube/api-client.ts';
import { type ApiCredentials, createApiCredentials } from '../../adapters/kube/objects/api-credentials.ts';
import { PodCertificates } from '../../adapters/kube/objects/pod-certificates.ts';
import { TrustBundles } from '../../adapters/kube/objects/trust-bundles.ts';
import { CheckpointFiles } from '../../adapters/linux/files/checkpoint-files.ts';
import { ApiEventRecorder } from '../../agent/events/api-event-recorder.ts';
import { LogEventRecorder } from '../../agent/events/log-event-recorder.ts';
import { OwnNode } from '../../agent/node/own-node.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';
import { KUBERNETES_VERSION } from '../config/version.ts';
import { createIdentity, type Identity, type IdentityParts } from '../identity/client-identity.ts';
import { addApiMetrics } from '../metrics/api-metrics.ts';
import { addClientCertificateMetrics } from '../metrics/certificate-metrics.ts';
import { describePodCertificates } from '../metrics/pod/pod-certificate-metrics.ts';
import { describeWatches } from '../metrics/watch-metrics.ts';
import { type ApiFacts, createApiFacts } from './api-facts.ts';
import type { Foundation } from './foundation.ts';

export interface ClusterConnection extends ApiFacts {
  readonly credentials: ApiCredentials;
  readonly client: ApiClient;
  readonly identity: Identity;
  readonly own: OwnNode;
  readonly events: ApiEventRecorder;
}

/**
 * Reads the kubeconfig and its credentials, or gets some; rejects with
 * AgentError when that is not possible. Undefined without a kubeconfig.
 */
export async function connectCluster(
  foundation: Foundation,
  { nodeName, rootDir }: NodeProfile,
): Promise<ClusterConnection | undefined> {
  const { loaded, clock, logger, scope, metrics } = foundation;
  const { config, flags } = loaded;
  if (flags.kubeconfig === '') return undefined;
  const random = Math.random;
  const hooks = config.rotateCertificates ? addClientCertificateMetrics(metrics.registry, clock) : undefined;
  const connect = createConnect(foundation);
  const identity = await createIdentity({ loaded, nodeName, clock, logger, hooks, connect });
  const { client } = identity;
  const { api } = client;
  scope.defer(() => client.close());
  const own = new OwnNode(api, nodeName);
  const facts = await createApiFacts({
    api,
    own,
    nodeName,
    config,
    checkpoints: new CheckpointFiles(`${rootDir}/kubelet-ts`),
    remembers: process.env['KUBELET_TS_OFFLINE'] !== 'off',
    clock,
    logger,
  });
  const readNodeUid = (): string | undefined => own.current?.metadata.uid;
  const credentials = createCredentials(loaded, { api, clock, random, nodeName, readNodeUid });
  const local = new LogEventRecorder(logger);
  const events = new ApiEventRecorder({ api, clock, logger, random, nodeName, local });
  describeWatches(metrics.registry, client);
  describePodCertificates(metrics.registry, credentials);
  return { client, identity, own, ...facts, credentials, events };
}

/** A call of the node's heartbeat takes no longer than the next one is due. */
export function heartbeatTimeoutMs({ config }: LoadedConfiguration): number {
  return Math.min(durationMs(config.nodeStatusUpdateFrequency), config.nodeLeaseDurationSeconds * 1000);
}

function createConnect({
  loaded,
  live,
  clock,
  logger,
  metrics,
  tracer,
}: Foundation): IdentityParts['connect'] {
  const { version } = loaded;
  const count = addApiMetrics(metrics.registry);
  const platform = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;
  return (kubeconfig, readClient) =>
    createApiClient({
      kubeconfig,
      kit: { clock, logger, random: Math.random, tracer },
      limits: {
        calls: live.view(({ config }) => ({ perSecond: config.kubeAPIQPS, burst: config.kubeAPIBurst })),
        events: live.view(({ config }) => ({ perSecond: config.eventRecordQPS, burst: config.eventBurst })),
      },
      heartbeatTimeoutMs: heartbeatTimeoutMs(loaded),
      process: {
        userAgent: `kubelet/${version} (${platform}) kubernetes/${KUBERNETES_VERSION}`,
        environment: process.env,
      },
      observe: (exchange) => count(kubeconfig.server.host, exchange),
      readClient,
    });
}

/** Trust anchors and pod certificates, as far as their features are on. */
function createCredentials(
  { features }: LoadedConfiguration,
  settings: ConstructorParameters<typeof PodCertificates>[0] & ConstructorParameters<typeof TrustBundles>[0],
): ApiCredentials {
  return createApiCredentials(
    features.enabled('ClusterTrustBundleProjection') ? new TrustBundles(settings) : undefined,
    features.enabled('PodCertificateRequest') ? new PodCertificates(settings) : undefined,
  );
}
