/** The agent, with the settings it follows, counted but not running yet. Nothing here does I/O. */
import type { Agent, PodSettings } from '../../agent/agent-ports.ts';
import { assembleAgent } from '../../agent/assemble-agent.ts';
import { RejectedManifests } from '../../agent/desired/rejected-manifests.ts';
import { LogEventRecorder } from '../../agent/events/log-event-recorder.ts';
import { RecentEvents } from '../../agent/events/recent-events.ts';
import { chooseHostIps } from '../../agent/node/host-addresses.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';
import { followPods } from '../metrics/meters.ts';
import { addShutdownMetrics } from '../metrics/shutdown-metrics.ts';
import { addVolumeCounts } from '../metrics/storage-metrics.ts';
import type { LiveConfiguration } from '../reload/live-configuration.ts';
import { toCrashLoopPolicy } from '../settings/crash-loop-policy.ts';
import { toEvictionSettings } from '../settings/eviction-settings.ts';
import { toImageCollection } from '../settings/image-collection.ts';
import { toLogRotation } from '../settings/log-rotation.ts';
import { toShutdownSettings } from '../settings/shutdown-settings.ts';
import { listUndoneCare } from '../settings/undone-care.ts';
import { wireAdmission } from './admission.ts';
import { type AgentParts, wirePorts } from './agent-ports.ts';
import type { Foundation } from './foundation.ts';
import { readImageSettings } from './images.ts';
import { wireResources } from './resources.ts';

export interface AgentWiring {
  readonly agent: Agent;
  readonly events: RecentEvents;
  readonly rejected: RejectedManifests;
}

/** The agent, counted but not running yet. */
export function wireAgent(foundation: Foundation, parts: AgentParts): AgentWiring {
  const { loaded, live, clock, logger, scope, metrics } = foundation;
  const { connection, meters } = parts;
  const profile = toLiveProfile(parts);
  const { nodeName } = profile;
  const next = connection?.events ?? new LogEventRecorder(logger);
  const events = new RecentEvents({ nodeName, clock, next });
  const rejected = new RejectedManifests(clock);
  const resources = wireResources(foundation, parts.node);
  logger.info('turned off by this configuration', { undone: listUndoneCare(loaded.config).join('; ') });
  const shutdown = toShutdownSettings(loaded);
  const agent = assembleAgent(wirePorts(foundation, parts, profile, { events, rejected, resources }), {
    node: profile,
    pods: toPodSettings(loaded),
    admission: wireAdmission(foundation, parts.node, connection, meters),
    resources: resources.settings,
    images: live.view((now) => readImageSettings(now, profile.rootDir)),
    volumeStatsPeriodMs: durationMs(loaded.config.volumeStatsAggPeriod),
    eviction: viewOrNone(live, toEvictionSettings),
    shutdown,
    imageCollection: live.view(toImageCollection),
    logRotation: viewOrNone(live, toLogRotation),
  });
  scope.use(followPods(meters, agent, events));
  addVolumeCounts(metrics.registry, agent.volumes);
  if (loaded.features.enabled('GracefulNodeShutdownBasedOnPodPriority'))
    addShutdownMetrics(metrics.registry, () => agent.shutdown?.times);
  if (connection !== undefined) scope.use(connection.objects.follow(agent.desired.records));
  return { agent, events, rejected };
}

/** Undefined at the start is so until the end: the reload sees to it. */
function viewOrNone<T extends object>(
  live: LiveConfiguration,
  compute: (loaded: LoadedConfiguration) => T | undefined,
): T | undefined {
  const first = compute(live.current);
  if (first === undefined) return undefined;
  return live.view((now) => compute(now) ?? first);
}

/** As others know the node: with the addresses of its object. */
function toLiveProfile({ node, connection }: AgentParts): NodeProfile {
  const { profile } = node;
  return { ...profile, nodeIps: () => chooseHostIps(connection?.readNode(), () => profile.nodeIps()) };
}

function toPodSettings(loaded: LoadedConfiguration): PodSettings {
  const { config, flags } = loaded;
  // For measurements only: how many heavy runtime steps run at a time. By default it fits the machine.
  const width = process.env['KUBELET_TS_START_GATE'];
  return {
    crashLoopPolicy: toCrashLoopPolicy(loaded),
    deadContainers: {
      minAgeMs: durationMs(flags.minimumContainerTTLDuration),
      maxPerContainer: flags.maximumDeadContainersPerContainer,
      maxTotal: flags.maximumDeadContainers,
    },
    startGateWidth: width !== undefined && /^[1-9]\d{0,4}$/.test(width) ? Number(width) : undefined,
    resyncMs: durationMs(config.syncFrequency),
  };
}
