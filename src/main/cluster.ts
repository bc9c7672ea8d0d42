/**
 * Everything a node of a cluster has on top of a standalone one: the API
 * client, pods from the API server, the node object with its lease, statuses
 * and mirror pods. The API server being away delays these, never pods.
 */

import type { CriConnection } from '../adapters/cri/connect-cri.ts';
import { type ApiClient, createApiClient } from '../adapters/kube/api-client.ts';
import { CheckpointFiles } from '../adapters/linux/files/checkpoint-files.ts';
import type { MachineFacts } from '../adapters/linux/machine/machine-facts.ts';
import { readNodeAddresses } from '../adapters/linux/machine/node-address-reader.ts';
import { isDevicePluginDirectoryEmpty, type SystemInfo } from '../adapters/linux/machine/system-info.ts';
import type { Agent } from '../agent/agent-ports.ts';
import { ApiEventRecorder } from '../agent/events/api-event-recorder.ts';
import { LogEventRecorder } from '../agent/events/log-event-recorder.ts';
import { NodeFactReader, type NodeFactSettings } from '../agent/node/node-fact-reader.ts';
import { NodeLease } from '../agent/node/node-lease.ts';
import { NodeRegistration } from '../agent/node/node-registration.ts';
import { NodeReporter } from '../agent/node/node-reporter.ts';
import type { NodeStateView } from '../agent/node/node-state.ts';
import { OwnNode } from '../agent/node/own-node.ts';
import type { Clock } from '../base/clock.ts';
import { hasCode } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { MetricRegistry } from '../base/metric-registry.ts';
import type { Scope } from '../base/scope.ts';
import type { DesiredPod } from '../core/model/desired-pod.ts';
import type { PodUid } from '../core/model/ids.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import { isNodeReady } from '../core/node-status/node-status.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { HealthCheck } from '../server/health/health-check.ts';
import { type ApiFacts, createApiFacts } from './api-facts.ts';
import { createIdentity, type Identity, type IdentityParts } from './client-identity.ts';
import { type ClusterSigns, toClusterChecks } from './cluster-checks.ts';
import type { LoadedConfiguration } from './config/load/load-configuration.ts';
import { durationMs } from './config/parse-duration.ts';
import { parseNodeIPs } from './config/validate/validate-flags.ts';
import { KUBERNETES_VERSION } from './config/version.ts';
import type { CsiComposition } from './csi.ts';
import { addApiMetrics } from './metrics/api-metrics.ts';
import { addClientCertificateMetrics } from './metrics/certificate-metrics.ts';
import type { Meters } from './metrics/meters.ts';
import type { StartupMetrics } from './metrics/startup-metrics.ts';
import { type ApiCredentials, composeCredentials } from './projected-credentials.ts';
import { readNodeWarnings } from './settings/node-warnings.ts';
import { readDeclaredFeatures, toResourceFacts } from './settings/resource-facts.ts';

const DEVICE_PLUGIN_DIRECTORY = '/var/lib/kubelet/device-plugins';

export interface ClusterConnection extends ApiFacts {
  readonly credentials: ApiCredentials;
  readonly client: ApiClient;
  readonly identity: Identity;
  readonly own: OwnNode;
  readonly events: ApiEventRecorder;
}

export interface ConnectParts {
  readonly loaded: LoadedConfiguration;
  readonly nodeName: string;
  readonly rootDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricRegistry;
}

/** Reads the kubeconfig and its credentials, or gets some; rejects with AgentError when that is not possible. */
export async function connectCluster(parts: ConnectParts): Promise<ClusterConnection> {
  const { loaded, nodeName, rootDir, clock, logger, metrics } = parts;
  const { config, version } = loaded;
  const hooks = config.rotateCertificates ? addClientCertificateMetrics(metrics, clock) : undefined;
  const count = addApiMetrics(metrics);
  const connect: IdentityParts['connect'] = (kubeconfig, readClient) =>
    createApiClient({
      kubeconfig,
      clock,
      logger,
      random: Math.random,
      limit: { perSecond: config.kubeAPIQPS, burst: config.kubeAPIBurst },
      eventLimit: { perSecond: config.eventRecordQPS, burst: config.eventBurst },
      heartbeatTimeoutMs: heartbeatTimeoutMs(config),
      userAgent: `kubelet/${version} (linux/${process.arch === 'x64' ? 'amd64' : process.arch}) kubernetes/${KUBERNETES_VERSION}`,
      environment: process.env,
      observe: (exchange) => count(kubeconfig.server.host, exchange),
      ...(readClient === undefined ? {} : { readClient }),
    });
  const identity = await createIdentity({ loaded, nodeName, clock, logger, hooks, connect });
  const { client } = identity;
  const own = new OwnNode(client.api, nodeName);
  const { api } = client;
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
  const random = Math.random;
  const local = new LogEventRecorder(logger);
  return {
    client,
    identity,
    own,
    ...facts,
    credentials: composeCredentials(loaded, {
      api,
      clock,
      random,
      nodeName,
      readNodeUid: () => own.current?.metadata.uid,
    }),
    events: new ApiEventRecorder({ api, clock, logger, random, nodeName, local }),
  };
}

export interface ClusterParts {
  readonly connection: ClusterConnection;
  readonly csi: Pick<CsiComposition, 'volumes' | 'run'>;
  readonly loaded: LoadedConfiguration;
  readonly node: NodeProfile;
  readonly machine: MachineFacts;
  readonly system: SystemInfo;
  readonly state: NodeStateView;
  readonly cri: CriConnection;
  readonly agent: Agent;
  readonly events: EventRecorder;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Starts reporting the node in the scope and returns whether the API server is still there. */
export function startCluster(parts: ClusterParts, scope: Scope): readonly HealthCheck[] {
  const { connection, csi, loaded, node, agent, events, clock, logger, meters } = parts;
  const { config, features } = loaded;
  const { client, own, objects, services, runtimeClasses } = connection;
  const { api } = client;
  const random = Math.random;
  const shared = {
    api,
    clock,
    logger,
    random,
    nodeName: node.nodeName,
    timeoutMs: heartbeatTimeoutMs(config),
    // A server that refuses can be heard; one that says nothing may be behind a connection that leads nowhere.
    onRepeatedFailure: (error: unknown) => {
      if (hasCode(error, 'deadline-exceeded')) client.renewConnections('heartbeats are not answered');
    },
  };
  const facts = createFactReader(parts);
  const registration = new NodeRegistration({
    api,
    clock,
    logger,
    facts,
    settings: {
      labels: loaded.flags.nodeLabels,
      taints: config.registerWithTaints,
      providerId: config.providerID,
      controllerAttachDetach: config.enableControllerAttachDetach,
    },
    onlyWhenExists: features.enabled('KubeletRegistrationGetOnExistsOnly'),
    readIsRecreated: () => isDevicePluginDirectoryEmpty(DEVICE_PLUGIN_DIRECTORY),
  });
  const { startup } = meters;
  scope.use(
    own.subscribe(() => {
      if (own.current !== undefined && isNodeReady(own.current)) startup.ready();
    }),
  );
  const reporter = new NodeReporter({
    ...shared,
    events,
    own,
    facts,
    ...(config.registerNode ? { registration: followRegistration(registration, startup) } : {}),
    updatePeriodMs: durationMs(config.nodeStatusUpdateFrequency),
    reportPeriodMs: durationMs(config.nodeStatusReportFrequency),
    checkRuntime: (signal) => agent.monitor.check(signal),
    onVolumesReported: (names) => csi.volumes.reported(names),
    readWarnings: () => readNodeWarnings(config, parts.machine, parts.system),
    applyPodCidrs: (cidr, signal) => parts.cri.runtime.updatePodCidr(cidr, { signal, label: 'node' }),
  });
  scope.use(parts.state.subscribe((key) => reporter.wake(key)));
  const lease = new NodeLease({ ...shared, durationSeconds: config.nodeLeaseDurationSeconds });
  scope.defer(() => objects.close());
  scope.defer(() => connection.credentials.close());
  const noteObjects = (uid: PodUid, record: DesiredPod | undefined): void =>
    record === undefined ? objects.unregister(uid) : objects.register(record.pod);
  scope.use(agent.desired.records.subscribe(noteObjects));
  // Before there is a certificate every call would only be refused.
  const gated = {
    own,
    reporter,
    lease,
    services,
    runtimeClasses,
    csi,
    events: connection.events,
  };
  for (const [name, loop] of Object.entries({ ...gated, client })) {
    scope.run(
      async (stop) => {
        if (loop !== client) await connection.identity.whenReady(stop);
        await loop.run(stop);
      },
      (error) => logger.error('a cluster loop failed', error, { loop: name }),
    );
  }
  const { podWatch } = connection;
  const signs: ClusterSigns = {
    watches: { pods: () => podWatch.health(), 'our node': () => own.health() },
    leaseRenewedAtMs: () => lease.renewedAtMs,
    leaseDurationMs: config.nodeLeaseDurationSeconds * 1000,
    startedAtMs: clock.now(),
  };
  return toClusterChecks(signs, clock);
}

function followRegistration(
  registration: NodeRegistration,
  startup: StartupMetrics,
): Pick<NodeRegistration, 'run'> {
  return {
    run: async (stop) => {
      startup.attempted();
      const registered = await registration.run(stop);
      if (registered?.created === true) startup.registered();
      return registered;
    },
  };
}

function createFactReader({
  loaded,
  node,
  machine,
  system,
  state,
  cri,
  clock,
  logger,
}: ClusterParts): NodeFactReader {
  const { config, flags, version } = loaded;
  const requested = parseNodeIPs(flags.nodeIP).addresses;
  const settings: NodeFactSettings = {
    nodeName: node.nodeName,
    system: { ...system, swapBytes: machine.swapBytes },
    kubeletVersion: version,
    kubeletPort: config.port,
    maxImages: config.nodeStatusMaxImages,
    canCapCpu: machine.canCapCpu,
    declaredFeatures: readDeclaredFeatures(loaded),
    addresses: { requested, externalCloud: flags.cloudProvider === 'external' },
    resources: toResourceFacts(loaded, machine),
  };
  return new NodeFactReader(
    {
      clock,
      logger,
      reader: cri.reader,
      images: cri.images,
      state,
      readAddresses: () => readNodeAddresses({ nodeName: node.nodeName, requested }),
    },
    settings,
  );
}

function heartbeatTimeoutMs(config: LoadedConfiguration['config']): number {
  return Math.min(durationMs(config.nodeStatusUpdateFrequency), config.nodeLeaseDurationSeconds * 1000);
}
