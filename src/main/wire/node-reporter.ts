/** What keeps the node object true: the facts, the registration and the heartbeat behind both. */
import { readNodeAddresses } from '../../adapters/linux/machine/node-address-reader.ts';
import { isDevicePluginDirectoryEmpty } from '../../adapters/linux/machine/system-info.ts';
import { NodeFactReader } from '../../agent/node/node-fact-reader.ts';
import type { NodeLeaseParts } from '../../agent/node/node-lease.ts';
import { NodeRegistration } from '../../agent/node/node-registration.ts';
import { NodeReporter, type NodeReporterParts } from '../../agent/node/node-reporter.ts';
import type { RuntimeMonitor } from '../../agent/runtime/runtime-monitor.ts';
import { hasCode } from '../../base/errors.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import { durationMs } from '../config/parse-duration.ts';
import type { StartupMetrics } from '../metrics/startup-metrics.ts';
import { toNodeFactSettings } from '../settings/node-fact-settings.ts';
import { readNodeWarnings } from '../settings/node-warnings.ts';
import { toResourceFacts } from '../settings/resource-facts.ts';
import { type ClusterConnection, heartbeatTimeoutMs } from './cluster.ts';
import type { CsiWiring } from './csi.ts';
import type { Foundation } from './foundation.ts';
import type { NodeWiring } from './node.ts';
import type { RuntimeWiring } from './runtime.ts';

const DEVICE_PLUGIN_DIRECTORY = '/var/lib/kubelet/device-plugins';

export interface NodeReporting {
  readonly runtime: RuntimeWiring;
  readonly node: NodeWiring;
  readonly connection: ClusterConnection | undefined;
  readonly csi: CsiWiring | undefined;
  readonly monitor: Pick<RuntimeMonitor, 'check'>;
  readonly events: EventRecorder;
  readonly startup: StartupMetrics;
}

export type Online = NodeReporting & { readonly connection: ClusterConnection; readonly csi: CsiWiring };

export function createReporter(foundation: Foundation, reported: Online): NodeReporter {
  const { loaded, live, clock, logger } = foundation;
  const { config, features } = loaded;
  const { runtime, node, connection, csi, monitor, events, startup } = reported;
  const { cri } = runtime;
  const { api } = connection.client;
  const resources = live.view((now) => toResourceFacts(now, node.machine));
  const settings = { ...toNodeFactSettings(loaded, node), resources };
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
      readWarnings: () => readNodeWarnings(config, node.machine, node.profile.swap),
      applyPodCidrs: (cidr, signal) => cri.runtime.updatePodCidr(cidr, { signal, label: 'node' }),
      onRepeatedFailure,
    },
  });
}

/** What the reporter and the lease have in common. */
type Heartbeat = Omit<NodeLeaseParts, 'durationSeconds'> & Pick<NodeReporterParts, 'api'>;

export function toHeartbeat({ loaded, clock, logger }: Foundation, { node, connection }: Online): Heartbeat {
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
