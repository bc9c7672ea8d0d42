/** Which adapter stands behind which port of the agent. Nothing here does I/O. */

import { LinuxDevicePluginHost } from '../../adapters/devices/device-plugin-host.ts';
import { DraClients } from '../../adapters/devices/dra-client.ts';
import { CheckpointFiles } from '../../adapters/linux/files/checkpoint-files.ts';
import { LinuxHostFiles } from '../../adapters/linux/files/host-files.ts';
import { LinuxLogFiles } from '../../adapters/linux/logs/linux-log-files.ts';
import { Kmsg } from '../../adapters/linux/machine/kmsg.ts';
import { LinuxMounter } from '../../adapters/linux/mount/mounter.ts';
import { NetworkProbeTransport } from '../../adapters/probe/network-probe-transport.ts';
import { LogindShutdown } from '../../adapters/systemd/logind-shutdown.ts';
import { findSystemBus } from '../../adapters/systemd/system-bus.ts';
import type { AgentPorts, ClusterPorts } from '../../agent/agent-ports.ts';
import type { RejectedManifests } from '../../agent/desired/rejected-manifests.ts';
import type { RecentEvents } from '../../agent/events/recent-events.ts';
import { StandaloneEvents } from '../../agent/events/standalone-events.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { noRuntimeClasses } from '../../ports/cluster/runtime-classes.ts';
import type { DevicePluginHost } from '../../ports/devices/device-plugin.ts';
import type { Meters } from '../metrics/meters.ts';
import { countDraCalls } from '../metrics/pod/claim-metrics.ts';
import type { LoadedProviders } from '../settings/load-credential-providers.ts';
import type { ClusterConnection } from './cluster.ts';
import type { CsiWiring } from './csi.ts';
import type { Foundation } from './foundation.ts';
import { wireImages } from './images.ts';
import type { NodeWiring } from './node.ts';
import { wireObjects } from './objects.ts';
import type { ResourceWiring } from './resources.ts';
import type { RuntimeWiring } from './runtime.ts';
import { wireSources } from './sources.ts';
import { wireStatistics } from './statistics.ts';
import { wireStorage } from './storage.ts';

export interface AgentParts {
  readonly runtime: RuntimeWiring;
  readonly node: NodeWiring;
  readonly connection: ClusterConnection | undefined;
  readonly csi: CsiWiring | undefined;
  readonly credentialPlugins: LoadedProviders | undefined;
  readonly meters: Meters;
}

/** What is made for the agent alone. */
export interface OwnParts {
  readonly events: RecentEvents;
  readonly rejected: RejectedManifests;
  readonly resources: ResourceWiring;
}

export function wirePorts(
  foundation: Foundation,
  parts: AgentParts,
  profile: NodeProfile,
  { events, rejected, resources }: OwnParts,
): AgentPorts {
  const { clock, logger, tracer } = foundation;
  const { runtime, node, connection, csi, credentialPlugins, meters } = parts;
  const { cri } = runtime;
  const objects = wireObjects(connection);
  const host = {
    state: node.state,
    files: new LinuxHostFiles(),
    checkpoints: new CheckpointFiles(`${profile.rootDir}/kubelet-ts`),
    cgroups: meters.calls.cgroups(resources.cgroups),
    mounter: new LinuxMounter({
      networkMounter: foundation.loaded.flags.experimentalMounterPath,
      listFile: `${profile.rootDir}/kubelet-ts/mounts`,
    }),
    kernelMessages: new Kmsg(clock),
    logFiles: new LinuxLogFiles(profile.podLogsDir),
    devicePlugins: wireDevicePlugins(foundation, profile),
  };
  return {
    kit: {
      ...{ clock, logger, random: Math.random },
      events: connection === undefined ? new StandaloneEvents(events) : events,
      meter: meters.agent,
      tracer,
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
    cluster: toClusterPorts(foundation, connection, csi),
    shutdown: new LogindShutdown({ clock, bus: findSystemBus(process.env['DBUS_SYSTEM_BUS_ADDRESS']) }),
  };
}

function wireDevicePlugins({ clock, logger }: Foundation, { rootDir }: NodeProfile): DevicePluginHost {
  const directory = `${rootDir}/device-plugins`;
  return new LinuxDevicePluginHost({ directory, clock, logger, random: Math.random });
}

function toClusterPorts(
  { clock, metrics }: Foundation,
  connection: ClusterConnection | undefined,
  csi: CsiWiring | undefined,
): ClusterPorts | undefined {
  if (connection === undefined || csi === undefined) return undefined;
  const { client, own, identity } = connection;
  const dra = new DraClients(clock, countDraCalls(metrics.registry));
  return {
    dra,
    api: client.api,
    own,
    nodeVolumes: csi.volumes,
    whenReady: (stop) => identity.whenReady(stop),
  };
}
