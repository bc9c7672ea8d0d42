/**
 * What a node of a cluster reports of itself: its object, registered and kept
 * true, and its lease. These run from the start, whatever pods do.
 */
import { readNodeAddresses } from '../../adapters/linux/machine/node-address-reader.ts';
import { isDevicePluginDirectoryEmpty } from '../../adapters/linux/machine/system-info.ts';
import { toOnlinePart } from '../../agent/cluster/online-part.ts';
import { NodeFactReader } from '../../agent/node/node-fact-reader.ts';
import { NodeLease, type NodeLeaseParts } from '../../agent/node/node-lease.ts';
import { NodeRegistration } from '../../agent/node/node-registration.ts';
import { NodeReporter, type NodeReporterParts } from '../../agent/node/node-reporter.ts';
import type { RuntimeMonitor } from '../../agent/runtime/runtime-monitor.ts';
import { hasCode } from '../../base/errors.ts';
import { isNodeReady } from '../../core/node-status/node-status.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import { toClusterChecks } from '../../server/health/cluster-checks.ts';
import type { HealthCheck } from '../../server/health/health-check.ts';
import { durationMs } from '../config/parse-duration.ts';
import type { StartupMetrics } from '../metrics/startup-metrics.ts';
import { toNodeFactSettings } from '../settings/node-fact-settings.ts';
import { readNodeWarnings } from '../settings/node-warnings.ts';
import { type ClusterConnection, heartbeatTimeoutMs } from './cluster.ts';
import type { CsiWiring } from './csi.ts';
import type { Foundation } from './foundation.ts';
import type { NodeWiring } from './node.ts';
import type { RuntimeWiring } from './runtime.ts';

const DEVICE_PLUGIN_DIRECTORY = '/var/lib/kubelet/device-plugins';

export interface ReportedNode {
  readonly runtime: RuntimeWiring;
  readonly node: NodeWiring;
  readonly connection: ClusterConnection | undefined;
  readonly csi: CsiWiring | undefined;
  readonly monitor: Pick<RuntimeMonitor, 'check'>;
  readonly events: EventRecorder;
  readonly startup: StartupMetrics;
}

type Online = ReportedNode & { readonly connection: ClusterConnection; readonly csi: CsiWiring };

/** Starts reporting in the scope; the checks say whether the API server is still there. Standalone there are none. */
export function startNodeReports(foundation: Foundation, reported: ReportedNode): readonly HealthCheck[] {
  const { connection, csi } = reported;
  if (connection === undefined || csi === undefined) return [];
  const { loaded, clock, logger, scope } = foundation;
  const { client, own, objects, identity } = connection;
  const reporter = createReporter(foundation, { ...reported, connection, csi });
  const lease = new NodeLease({
    ...toHeartbeat(foundation, { ...reported, connection, csi }),
    durationSeconds: loaded.config.nodeLeaseDurationSeconds,
  });
  scope.use(reported.node.state.subscribe((key) => reporter.wake(key)));
  scope.use(
    own.subscribe(() => own.current !== undefined && isNodeReady(own.current) && reported.startup.ready()),
  );
  scope.defer(() => objects.close());
  scope.defer(() => connection.credentials.close());
  const whenReady = (stop: AbortSignal): Promise<void> => identity.whenReady(stop);
  const { services, runtimeClasses, events } = connection;
  const loops = { own, reporter, lease, services, runtimeClasses, csi, events };
  for (const [name, loop] of Object.entries(loops)) {
    const part = toOnlinePart({ name, run: (stop) => loop.run(stop) }, { logger, whenReady });
    scope.run(
      (stop) => part.run(stop),
      () => {},
    );
  }
  scope.run(
    (stop) => client.run(stop),
    (error) => logger.error('a cluster loop failed', error, { part: 'API client' }),
  );
  const { podWatch } = connection;
  const signs = {
    watches: { pods: () => podWatch.health(), 'our node': () => own.health() },
    leaseRenewedAtMs: () => lease.renewedAtMs,
    leaseDurationMs: loaded.config.nodeLeaseDurationSeconds * 1000,
    startedAtMs: clock.now(),
  };
  return toClusterChecks(signs, clock);
}

function createReporter(foundation: Foundation, reported: Online): NodeReporter {
  const { loaded, clock, logger } = foundation;
  const { config, features } = loaded;
  const { runtime, node, connection, csi, monitor, events, startup } = reported;
  const { cri } = runtime;
  const { api } = connection.client;
  const settings = toNodeFactSettings(loaded, node);
  const { requested } = settings.addresses;
  const readAddresses = () => readNodeAddresses({ nodeName: node.profile.nodeName, requested });
  const facts = new NodeFactReader({ clock, logger, ...cri, state: node.state, readAddresses }, settings);
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
  const heartbeat = toHeartbeat(foundation, reported);
  const { random, timeoutMs, onRepeatedFailure } = heartbeat;
  return new NodeReporter({
    kit: { clock, logger, random, events },
    api: heartbeat.api,
    nodeName: heartbeat.nodeName,
    own: connection.own,
    facts,
    registration: config.registerNode ? startup.follow(registration) : undefined,
    timing: {
      updatePeriodMs: durationMs(config.nodeStatusUpdateFrequency),
      reportPeriodMs: durationMs(config.nodeStatusReportFrequency),
      timeoutMs,
    },
    hooks: {
      checkRuntime: (signal) => monitor.check(signal),
      onVolumesReported: (names) => csi.volumes.reported(names),
      readWarnings: () => readNodeWarnings(config, node.machine, node.system),
      applyPodCidrs: (cidr, signal) => cri.runtime.updatePodCidr(cidr, { signal, label: 'node' }),
      onRepeatedFailure,
    },
  });
}

/** What the reporter and the lease have in common. */
type Heartbeat = Omit<NodeLeaseParts, 'durationSeconds'> & Pick<NodeReporterParts, 'api'>;

function toHeartbeat({ loaded, clock, logger }: Foundation, { node, connection }: Online): Heartbeat {
  const { client } = connection;
  return {
    api: client.api,
    clock,
    logger,
    random: Math.random,
    nodeName: node.profile.nodeName,
    timeoutMs: heartbeatTimeoutMs(loaded),
    // A server that refuses can be heard; one that says nothing may be behind a connection that leads nowhere.
    onRepeatedFailure: (error) => {
      if (hasCode(error, 'deadline-exceeded')) client.renewConnections('heartbeats are not answered');
    },
  };
}
