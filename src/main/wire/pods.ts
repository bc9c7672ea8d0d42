/**
 * The agent: says which adapter stands behind which of its ports, and which
 * settings it follows. Nothing here does I/O.
 */
import { CheckpointFiles } from '../../adapters/linux/files/checkpoint-files.ts';
import { LinuxHostFiles } from '../../adapters/linux/files/host-files.ts';
import { LinuxLogFiles } from '../../adapters/linux/logs/linux-log-files.ts';
import { Kmsg } from '../../adapters/linux/machine/kmsg.ts';
import { LinuxMounter } from '../../adapters/linux/mount/mounter.ts';
import { NetworkProbeTransport } from '../../adapters/probe/network-probe-transport.ts';
import type { Agent, AgentPorts, ClusterPorts, PodSettings } from '../../agent/agent-ports.ts';
import { assembleAgent } from '../../agent/assemble-agent.ts';
import { RejectedManifests } from '../../agent/desired/rejected-manifests.ts';
import { LogEventRecorder } from '../../agent/events/log-event-recorder.ts';
import { RecentEvents } from '../../agent/events/recent-events.ts';
import { StandaloneEvents } from '../../agent/events/standalone-events.ts';
import { chooseHostIps } from '../../agent/node/host-addresses.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { noRuntimeClasses } from '../../ports/cluster/runtime-classes.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { durationMs } from '../config/parse-duration.ts';
import { followPods, type Meters } from '../metrics/meters.ts';
import { addVolumeCounts } from '../metrics/storage-metrics.ts';
import { toCrashLoopPolicy } from '../settings/crash-loop-policy.ts';
import { toEvictionSettings } from '../settings/eviction-settings.ts';
import { toImageCollection } from '../settings/image-collection.ts';
import { toLogRotation } from '../settings/log-rotation.ts';
import { wireAdmission } from './admission.ts';
import type { ClusterConnection } from './cluster.ts';
import type { CsiWiring } from './csi.ts';
import type { Foundation } from './foundation.ts';
import { type CredentialPlugins, readImageSettings, wireImages } from './images.ts';
import type { NodeWiring } from './node.ts';
import { wireObjects } from './objects.ts';
import { type ResourceWiring, wireResources } from './resources.ts';
import type { RuntimeWiring } from './runtime.ts';
import { wireSources } from './sources.ts';
import { wireStatistics } from './statistics.ts';
import { wireStorage } from './storage.ts';

export interface AgentParts {
  readonly runtime: RuntimeWiring;
  readonly node: NodeWiring;
  readonly connection: ClusterConnection | undefined;
  readonly csi: CsiWiring | undefined;
  readonly credentialPlugins: CredentialPlugins;
  readonly meters: Meters;
}

export interface AgentWiring {
  readonly agent: Agent;
  readonly events: RecentEvents;
  readonly rejected: RejectedManifests;
}

/** The agent, counted but not running yet. */
export function wireAgent(foundation: Foundation, parts: AgentParts): AgentWiring {
  const { loaded, clock, logger, scope, metrics } = foundation;
  const { connection, meters } = parts;
  const profile = toLiveProfile(parts);
  const { nodeName } = profile;
  const next = connection?.events ?? new LogEventRecorder(logger);
  const events = new RecentEvents({ nodeName, clock, next });
  const rejected = new RejectedManifests(clock);
  const resources = wireResources(foundation, parts.node);
  const agent = assembleAgent(wirePorts(foundation, parts, profile, { events, rejected, resources }), {
    node: profile,
    pods: toPodSettings(loaded),
    admission: wireAdmission(foundation, parts.node, connection, meters),
    resources: resources.settings,
    images: readImageSettings(loaded, profile.rootDir),
    volumeStatsPeriodMs: durationMs(loaded.config.volumeStatsAggPeriod),
    eviction: toEvictionSettings(loaded),
    imageCollection: toImageCollection(loaded),
    logRotation: toLogRotation(loaded),
  });
  scope.use(followPods(meters, agent, events));
  addVolumeCounts(metrics.registry, agent.volumes);
  if (connection !== undefined) scope.use(connection.objects.follow(agent.desired.records));
  return { agent, events, rejected };
}

/** As others know the node: with the addresses of its object. */
function toLiveProfile({ node, connection }: AgentParts): NodeProfile {
  const { profile } = node;
  return { ...profile, nodeIps: () => chooseHostIps(connection?.readNode(), () => profile.nodeIps()) };
}

/** What is made for the agent alone. */
interface OwnParts {
  readonly events: RecentEvents;
  readonly rejected: RejectedManifests;
  readonly resources: ResourceWiring;
}

function wirePorts(
  foundation: Foundation,
  parts: AgentParts,
  profile: NodeProfile,
  { events, rejected, resources }: OwnParts,
): AgentPorts {
  const { clock, logger } = foundation;
  const { runtime, node, connection, csi, credentialPlugins, meters } = parts;
  const { cri } = runtime;
  const objects = wireObjects(connection);
  const host = {
    state: node.state,
    files: new LinuxHostFiles(),
    checkpoints: new CheckpointFiles(`${profile.rootDir}/kubelet-ts`),
    cgroups: meters.calls.cgroups(resources.cgroups),
    mounter: new LinuxMounter(),
    kernelMessages: new Kmsg(clock),
    logFiles: new LinuxLogFiles(profile.podLogsDir),
  };
  return {
    kit: {
      ...{ clock, logger, random: Math.random },
      events: connection === undefined ? new StandaloneEvents(events) : events,
      meter: meters.agent,
    },
    runtime: {
      runtime: meters.calls.runtime(cri.runtime),
      reader: cri.reader,
      losses: cri.losses,
      probes: new NetworkProbeTransport(clock),
      runtimeClasses: connection?.runtimeClasses ?? noRuntimeClasses,
    },
    host,
    storage: wireStorage(foundation, { node: profile, host, objects, connection, csi, meters }),
    objects: objects.ports,
    images: wireImages(foundation, cri, credentialPlugins, connection, meters),
    statistics: wireStatistics(foundation, cri, node),
    sources: wireSources(foundation, profile.nodeName, connection, objects.local, rejected),
    cluster: toClusterPorts(connection, csi),
  };
}

function toClusterPorts(
  connection: ClusterConnection | undefined,
  csi: CsiWiring | undefined,
): ClusterPorts | undefined {
  if (connection === undefined || csi === undefined) return undefined;
  const { client, own, identity } = connection;
  return { api: client.api, own, nodeVolumes: csi.volumes, whenReady: (stop) => identity.whenReady(stop) };
}

function toPodSettings(loaded: LoadedConfiguration): PodSettings {
  const { flags } = loaded;
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
  };
}
