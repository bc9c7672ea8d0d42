/**
 * Builds the long-lived objects of a node from configuration and machine
 * facts. The only place that knows which adapter stands behind which port.
 * Nothing here does I/O; startup.ts brings things to life in order.
 */

import { homedir } from 'node:os';
import type { CriConnection } from '../adapters/cri/connect-cri.ts';
import { HttpPodSource } from '../adapters/http/http-pod-source.ts';
import { LocalObjects } from '../adapters/kube/objects/local-objects.ts';
import { readSecretNow } from '../adapters/kube/objects/read-secret.ts';
import { ApiServiceAccountReader } from '../adapters/kube/objects/service-account-reader.ts';
import { LinuxPodCgroups } from '../adapters/linux/cgroup/cgroups.ts';
import { CheckpointFiles } from '../adapters/linux/files/checkpoint-files.ts';
import { LinuxHostFiles } from '../adapters/linux/files/host-files.ts';
import type { MachineFacts } from '../adapters/linux/machine/machine-facts.ts';
import { FilePodSource } from '../adapters/linux/manifest/file-pod-source.ts';
import { LinuxMounter } from '../adapters/linux/mount/mounter.ts';
import { CredentialPluginRunner } from '../adapters/linux/program/credential-plugin-runner.ts';
import { NetworkProbeTransport } from '../adapters/probe/network-probe-transport.ts';
import { SystemdPodCgroups } from '../adapters/systemd/systemd-pod-cgroups.ts';
import { SystemdUnits } from '../adapters/systemd/systemd-units.ts';
import { FlexDrivers } from '../adapters/volume/flex/flex-drivers.ts';
import type { SecretLookup } from '../adapters/volume/place/read-volume-secret.ts';
import { LinuxSubPathBinder } from '../adapters/volume/sub-path-binder.ts';
import { createVolumeDrivers } from '../adapters/volume/volume-drivers.ts';
import type { Agent, ClusterPorts } from '../agent/agent-ports.ts';
import { assembleAgent } from '../agent/assemble-agent.ts';
import { LogEventRecorder } from '../agent/events/log-event-recorder.ts';
import { RecentEvents } from '../agent/events/recent-events.ts';
import type { CredentialPluginPorts } from '../agent/image/assemble-images.ts';
import type { NodeState } from '../agent/node/node-state.ts';
import type { NodeVolumes } from '../agent/node/node-volumes.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { StringMap } from '../core/api/meta.ts';
import type { Pod } from '../core/api/pod.ts';
import type { CredentialProvider } from '../core/image/credential-provider.ts';
import type { LocalObject } from '../core/manifest/local-object.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { Admission } from '../core/node/admit-pod.ts';
import type { UserIdRange } from '../core/node/user-ids.ts';
import { toHostIps } from '../core/node-status/node-addresses.ts';
import { podsCgroupName, toCgroupPath } from '../core/resources/cgroup-names.ts';
import type { PodCgroups } from '../ports/cgroups.ts';
import { noClaims } from '../ports/claim-reader.ts';
import { noObjects, type ObjectReader } from '../ports/object-reader.ts';
import type { PodSource } from '../ports/pod-source.ts';
import { noRuntimeClasses } from '../ports/runtime-classes.ts';
import { noTokens } from '../ports/token-source.ts';
import type { PodAttachments, VolumeAttachments } from '../ports/volume-attachments.ts';
import type { VolumeDriver, VolumeDriverFamily } from '../ports/volume-driver.ts';
import type { ClusterConnection } from './cluster.ts';
import type { LoadedConfiguration } from './config/load/load-configuration.ts';
import { durationMs } from './config/parse-duration.ts';
import type { Meters } from './metrics/meters.ts';
import { toCrashLoopPolicy } from './settings/crash-loop-policy.ts';
import { toImageSettings } from './settings/image-settings.ts';
import { type NodeCgroups, toNodeCgroups } from './settings/node-cgroups.ts';
import { toReservations } from './settings/reservations.ts';

export interface ComposeParts {
  readonly loaded: LoadedConfiguration;
  /** Programs that know registry credentials. */
  readonly credentialProviders: readonly CredentialProvider[];
  readonly node: NodeProfile;
  readonly machine: MachineFacts;
  readonly state: NodeState;
  /** Absent where systemd does not own the cgroups. */
  readonly systemdVersion?: number;
  readonly cri: CriConnection;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What comes from the API server; absent standalone. */
  readonly connection: ClusterConnection | undefined;
  /** Volumes of storage drivers; absent standalone. */
  readonly csiDriver?: VolumeDriver;
  /** Absent where nobody attaches volumes to the node. */
  readonly attachments?: VolumeAttachments & PodAttachments;
  /** Whether the node takes a pod it sees for the first time. */
  readonly admit: (pod: Pod, others: readonly Pod[]) => Admission;
  /** Of the node object, else those it would introduce itself with. */
  readonly readNodeLabels: () => StringMap;
  /** What pods with users of their own get. */
  readonly userIds: UserIdRange;
  /** Whether it grants a running pod other resources. */
  readonly admitResize: (pod: Pod, granted: Pod, others: readonly Pod[]) => Admission;
  readonly meters: Meters;
  /** Undefined standalone. */
  readonly nodeVolumes: NodeVolumes | undefined;
}

export interface Composition {
  readonly agent: Agent;
  readonly events: RecentEvents;
}

/** What the node object says is what everybody else knows; until it says something, what was found at the start. */
function readHostIps({ node, connection }: ComposeParts): readonly string[] {
  const known = connection?.readNode();
  const ips = known === undefined ? [] : toHostIps(known);
  return ips.length > 0 ? ips : node.nodeIps();
}

export function compose(parts: ComposeParts): Composition {
  const { loaded, machine, cri, clock, logger, connection } = parts;
  const node = { ...parts.node, nodeIps: () => readHostIps(parts) };
  const { admit, admitResize, readNodeLabels, userIds, meters } = parts;
  const { config } = loaded;
  const events = new RecentEvents({
    nodeName: node.nodeName,
    clock,
    next: connection?.events ?? new LogEventRecorder(logger),
  });
  const local = connection === undefined ? new LocalObjects() : undefined;
  const objects = connection?.objects ?? local ?? noObjects;
  const tokens = connection?.tokens ?? noTokens;
  const fileSource =
    config.staticPodPath === ''
      ? undefined
      : new FilePodSource({
          path: config.staticPodPath,
          nodeName: node.nodeName,
          fileCheckFrequencyMs: durationMs(config.fileCheckFrequency),
          ...(local === undefined
            ? {}
            : { onObjects: (found: readonly LocalObject[]) => local.replace(found) }),
          clock,
          logger,
        });
  const httpSource =
    config.staticPodURL === ''
      ? undefined
      : new HttpPodSource({
          url: config.staticPodURL,
          headers: config.staticPodURLHeader,
          nodeName: node.nodeName,
          httpCheckFrequencyMs: durationMs(config.httpCheckFrequency),
          clock,
          logger,
        });
  const mounter = new LinuxMounter();
  const files = new LinuxHostFiles();
  const nodeCgroups = toNodeCgroups({ ...config, ...toReservations(loaded) }, node, machine);
  const all: (PodSource | undefined)[] = [fileSource, httpSource, connection?.source];
  const sources = all.filter((source) => source !== undefined);
  const agent = assembleAgent(
    {
      kit: { clock, logger, random: Math.random, events, meter: meters.agent },
      runtime: {
        runtime: meters.calls.runtime(cri.runtime),
        reader: cri.reader,
        probes: new NetworkProbeTransport(clock),
        runtimeClasses: connection?.runtimeClasses ?? noRuntimeClasses,
      },
      host: {
        state: parts.state,
        files,
        checkpoints: new CheckpointFiles(`${node.rootDir}/kubelet-ts`),
        cgroups: meters.calls.cgroups(createCgroups(parts, nodeCgroups)),
        mounter,
      },
      storage: {
        drivers: [
          ...createVolumeDrivers({
            mounter,
            node,
            clock,
            logger,
            objects,
            tokens,
            readSecret: toSecretLookup(connection, objects),
            ...(parts.attachments === undefined ? {} : { attachments: parts.attachments }),
            ...(connection === undefined ? {} : { credentials: connection.credentials }),
          }),
          ...(parts.csiDriver === undefined ? [] : [parts.csiDriver]),
        ].map((driver) => meters.calls.volumes(driver)),
        flexDrivers: withMeter(
          meters,
          new FlexDrivers({
            directory: config.volumePluginDir,
            clock,
            files,
            mounter,
            node,
            readSecret: toSecretLookup(connection, objects),
            ...(parts.attachments === undefined ? {} : { attachments: parts.attachments }),
            logger,
          }),
        ),
        subPaths: new LinuxSubPathBinder({ mounter, logger }),
        claims: connection?.claims ?? local ?? noClaims,
        credentials: connection?.credentials,
        attachments: parts.attachments,
      },
      objects: {
        objects,
        tokens,
        services: () => (connection === undefined ? [] : connection.services.services()),
      },
      images: {
        images: meters.calls.images(cri.images),
        credentialPlugins: toCredentialPlugins(parts),
        imageMeter: meters.images,
      },
      sources,
      cluster: toClusterPorts(parts),
    },
    {
      node,
      pods: {
        crashLoopPolicy: toCrashLoopPolicy(loaded),
        deadContainers: {
          minAgeMs: durationMs(loaded.flags.minimumContainerTTLDuration),
          maxPerContainer: loaded.flags.maximumDeadContainersPerContainer,
          maxTotal: loaded.flags.maximumDeadContainers,
        },
        startGateWidth: startGateOverride(process.env['KUBELET_TS_START_GATE']),
      },
      admission: {
        admit,
        admitResize,
        refreshNode: connection === undefined ? undefined : () => connection.own.refresh(),
        readNodeLabels,
      },
      resources: {
        userIds,
        allPods: nodeCgroups.allPods,
        reserved: nodeCgroups.reserved,
        reservedMemoryPercent: nodeCgroups.reservedMemoryPercent,
      },
      images: toImageSettings(loaded, {
        rootDir: node.rootDir,
        workingDirectory: process.cwd(),
        home: homedir(),
      }),
      volumeStatsPeriodMs: durationMs(config.volumeStatsAggPeriod),
    },
  );
  return { agent, events };
}

function toClusterPorts({ connection, nodeVolumes }: ComposeParts): ClusterPorts | undefined {
  if (connection === undefined || nodeVolumes === undefined) return undefined;
  const { client, own, identity } = connection;
  return { api: client.api, own, nodeVolumes, whenReady: (stop) => identity.whenReady(stop) };
}

/** In a cluster any Secret may be asked for; else those of the manifest directory. */
function toSecretLookup(connection: ClusterConnection | undefined, objects: ObjectReader): SecretLookup {
  if (connection === undefined) return (namespace, name, signal) => objects.secret(namespace, name, signal);
  return (namespace, name, signal) => readSecretNow(connection.client.api, namespace, name, signal);
}

/** Drivers that come and go are measured like the others. */
function withMeter(meters: Meters, family: VolumeDriverFamily): VolumeDriverFamily {
  const find = async (name: string): Promise<VolumeDriver | undefined> => {
    const driver = await family.find(name);
    return driver === undefined ? undefined : meters.calls.volumes(driver);
  };
  return { source: family.source, find };
}

function createCgroups(
  { clock, machine, node, systemdVersion }: ComposeParts,
  known: NodeCgroups,
): PodCgroups {
  const podsRoot = toCgroupPath(podsCgroupName(node.cgroupRoot), node.cgroupDriver);
  const reserved = known.reserved.map(({ path }) => path);
  const files = new LinuxPodCgroups({ clock, layout: machine.cgroup, podsRoot, reserved });
  if (systemdVersion === undefined) return files;
  const facts = { cgroupVersion: machine.cgroup.version, systemdVersion };
  return new SystemdPodCgroups({ units: new SystemdUnits(), files, facts, podsRoot });
}

function toCredentialPlugins({
  loaded,
  credentialProviders,
  clock,
  connection,
}: ComposeParts): CredentialPluginPorts | undefined {
  if (credentialProviders.length === 0) return undefined;
  const directory = loaded.flags.imageCredentialProviderBinDir;
  return {
    providers: credentialProviders,
    plugins: new CredentialPluginRunner({ directory, clock, environment: process.env }),
    accounts: connection === undefined ? undefined : new ApiServiceAccountReader(connection.client.api),
  };
}

/** For measurements only: how many heavy runtime steps run at a time. By default it fits the machine. */
function startGateOverride(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;
}
