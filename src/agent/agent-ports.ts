/**
 * What the agent is made of and what it shows: the ports it acts through, the
 * settings it follows, and the parts that others may look at. Each group goes
 * whole to the assembly of its subject.
 */

import type { BackOffPolicy } from '../base/async/back-off.ts';
import type { Emitter } from '../base/async/emitter.ts';
import type { StringMap } from '../core/api/meta.ts';
import type { Pod } from '../core/api/pod.ts';
import type { ImageCollectionPolicy } from '../core/collection/image-collection.ts';
import type { LogRotationPolicy } from '../core/collection/log-rotation.ts';
import type { CpuPolicy } from '../core/cpus/cpu-policy.ts';
import type { MachineLayout } from '../core/cpus/machine-layout.ts';
import type { EnvironmentObjects } from '../core/model/environment-objects.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { Admission } from '../core/node/admit-pod.ts';
import type { UserIdRange } from '../core/node/user-ids.ts';
import type { MemoryState } from '../core/numa-memory/memory-state.ts';
import type { DeadContainerPolicy } from '../core/pod/dead-containers.ts';
import type { CgroupValues } from '../core/resources/cgroup-values.ts';
import type { SystemCgroup } from '../core/stats/to-node-stats.ts';
import type { NumaLayout, TopologyPolicy } from '../core/topology/topology-policy.ts';
import type { ApiServer } from '../ports/cluster/api-server.ts';
import type { ObjectReader } from '../ports/cluster/object-reader.ts';
import type { RuntimeClasses } from '../ports/cluster/runtime-classes.ts';
import type { TokenSource } from '../ports/cluster/token-source.ts';
import type { DevicePluginHost } from '../ports/devices/device-plugin.ts';
import type { DraConnector } from '../ports/devices/dra-driver.ts';
import type { PodResourceReader } from '../ports/devices/pod-resource-reader.ts';
import type { PodCgroups } from '../ports/host/cgroups.ts';
import type { CheckpointStore } from '../ports/host/checkpoint-store.ts';
import type { EvictionReporter } from '../ports/host/eviction-report.ts';
import type { HostFiles } from '../ports/host/host-files.ts';
import type { HostShutdown } from '../ports/host/host-shutdown.ts';
import type { KernelMessages } from '../ports/host/kernel-messages.ts';
import type { Mounter } from '../ports/host/mounter.ts';
import type { NodeReclaim } from '../ports/host/node-reclaim.ts';
import type { NodeStatistics } from '../ports/host/node-statistics.ts';
import type { PodMemoryLimit } from '../ports/host/pod-memory-limit.ts';
import type { ResourceReporter } from '../ports/host/resource-reporter.ts';
import type {
  CgroupDetailsReader,
  CgroupStats,
  ContainerStatsReader,
  FileSystemStats,
  PodStatsSource,
} from '../ports/host/stats-reader.ts';
import type { ImageMeter } from '../ports/image-meter.ts';
import type { Kit } from '../ports/kit.ts';
import type { PodSource } from '../ports/pod-source.ts';
import type { ContainerLogFiles } from '../ports/runtime/container-log-files.ts';
import type { ContainerRuntime, RuntimeReader } from '../ports/runtime/container-runtime.ts';
import type { ImageReporter } from '../ports/runtime/image-report.ts';
import type { ImageService } from '../ports/runtime/image-service.ts';
import type { ProbeTransport } from '../ports/runtime/probe-transport.ts';
import type { AgentPart } from './agent-part.ts';
import type { ClaimAssembly } from './assemble-claims.ts';
import type { DeviceAssembly } from './assemble-devices.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import type { EvictionSettings } from './eviction/eviction-settings.ts';
import type { CredentialPluginPorts, ImageSettings } from './image/assemble-images.ts';
import type { NodeState } from './node/node-state.ts';
import type { NodeVolumes } from './node/node-volumes.ts';
import type { OwnNode } from './node/own-node.ts';
import type { PodExplainer } from './pod/pod-explainer.ts';
import type { PodOperator } from './pod/pod-operator.ts';
import type { PodSupervisor } from './pod/pod-supervisor.ts';
import type { StatusBoard } from './pod/status-board.ts';
import type { ReservedCgroup } from './resources/reserved-cgroups.ts';
import type { RuntimeMonitor } from './runtime/runtime-monitor.ts';
import type { RuntimeObserver } from './runtime/runtime-observer.ts';
import type { NodeShutdown, ShutdownSettings } from './shutdown/node-shutdown.ts';
import type { PodTimelines } from './timeline/pod-timelines.ts';
import type { StoragePorts } from './volume/storage-ports.ts';
import type { VolumeMeasurements } from './volume/volume-measurer.ts';
import type { VolumeReconciler } from './volume/volume-reconciler.ts';

export interface AgentPorts {
  readonly kit: Kit;
  readonly runtime: RuntimePorts;
  readonly host: HostPorts;
  readonly storage: StoragePorts;
  readonly objects: ObjectPorts;
  readonly images: ImagePorts;
  readonly statistics: StatisticsPorts;
  readonly sources: readonly PodSource[];
  /** Undefined standalone. */
  readonly cluster: ClusterPorts | undefined;
  /** Undefined where a shutdown of the machine does not wait for pods. */
  readonly shutdown: HostShutdown | undefined;
}

/** The container runtime, and how containers are probed. */
export interface RuntimePorts {
  readonly runtime: ContainerRuntime;
  readonly reader: RuntimeReader;
  /** Emits when the connection to the runtime is lost. */
  readonly losses: Pick<Emitter, 'subscribe'>;
  readonly probes: ProbeTransport;
  readonly runtimeClasses: RuntimeClasses;
}

/** The machine, and what is true of the node on it. */
export interface HostPorts {
  readonly state: NodeState;
  readonly files: HostFiles;
  readonly checkpoints: CheckpointStore;
  readonly cgroups: PodCgroups;
  readonly mounter: Mounter;
  readonly logFiles: ContainerLogFiles;
  /** Undefined where there are no device plugins. */
  readonly devicePlugins: DevicePluginHost | undefined;
  /** Undefined where the log of the kernel is not followed. */
  readonly kernelMessages: KernelMessages | undefined;
}

/** Objects of the API that pods refer to. */
export interface ObjectPorts {
  readonly objects: ObjectReader;
  readonly tokens: TokenSource;
  /** The services of the cluster; undefined until they are known. */
  readonly services: EnvironmentObjects['services'];
}

export interface ImagePorts {
  readonly images: ImageService;
  /** Programs that know registry credentials; undefined when none are configured. */
  readonly credentialPlugins: CredentialPluginPorts | undefined;
  readonly imageMeter: ImageMeter;
}

/** Where the numbers of the node, its pods and their containers come from. */
export interface StatisticsPorts {
  readonly cgroupStats: CgroupStats;
  readonly fileSystems: FileSystemStats;
  readonly containerStats: ContainerStatsReader;
  /** Loaded when it is first asked for. */
  readonly loadDetails: () => Promise<CgroupDetailsReader>;
  /** Undefined unless the runtime is to count pods (gate PodAndContainerStatsFromCRI). */
  readonly loadPodStats: (() => Promise<PodStatsSource>) | undefined;
  /** Cgroups of the node that are no pod's. */
  readonly systemCgroups: readonly SystemCgroup[];
  /** Undefined unless the kernel is to report it. */
  readonly podMemoryLimit?: PodMemoryLimit | undefined;
}

/** The API server, for pod status and deletion. */
export interface ClusterPorts {
  readonly api: Pick<ApiServer, 'get' | 'list' | 'create' | 'patch' | 'delete'>;
  readonly dra: DraConnector;
  readonly own: OwnNode;
  readonly nodeVolumes: NodeVolumes;
  /** Resolves when there are credentials, or with `stop`. */
  readonly whenReady: (stop: AbortSignal) => Promise<void>;
}

export interface AgentSettings {
  readonly node: NodeProfile;
  readonly pods: PodSettings;
  readonly admission: AdmissionSettings;
  readonly resources: ResourceSettings;
  readonly images: ImageSettings;
  /** How often volumes are measured; with 0 or less never. */
  readonly volumeStatsPeriodMs: number;
  readonly imageCollection: ImageCollectionPolicy;
  /** Undefined leaves logs to grow. */
  readonly logRotation: LogRotationPolicy | undefined;
  /** Undefined leaves the node to run full. */
  readonly eviction: EvictionSettings | undefined;
  /** Undefined lets the machine shut down without regard for pods. */
  readonly shutdown: ShutdownSettings | undefined;
}

export interface PodSettings {
  readonly crashLoopPolicy: BackOffPolicy;
  /** How many dead containers are kept. */
  readonly deadContainers: DeadContainerPolicy;
  /** Heavy runtime steps at a time; undefined is one more than the machine has cores. */
  readonly startGateWidth: number | undefined;
  /** How often pods are compared with the runtime although nothing was reported. */
  readonly resyncMs?: number;
}

export interface AdmissionSettings {
  /** Whether the node takes a pod it sees for the first time. */
  readonly admit: (pod: Pod, others: readonly Pod[]) => Admission;
  /** Whether it grants a running pod what its spec asks for now. */
  readonly admitResize: (pod: Pod, granted: Pod, others: readonly Pod[]) => Admission;
  /** Reads again what `admit` knows of the node; undefined standalone. */
  readonly refreshNode: (() => Promise<void>) | undefined;
  /** The labels of the node: some persistent volumes are for some nodes only. */
  readonly readNodeLabels: () => StringMap;
}

/** How resources that only one container can have are assigned. */
export interface AssignmentSettings {
  readonly topology: TopologyPolicy;
  readonly numa: NumaLayout;
  /** Undefined shares all CPUs among all containers. */
  readonly cpuPolicy: CpuPolicy | undefined;
  /** The memory of NUMA nodes with nothing given; undefined leaves it to the kernel. */
  readonly memory: MemoryState | undefined;
  /** How long a container that could not be moved to other CPUs waits for the next try. */
  readonly retryMs: number;
  readonly layout: MachineLayout;
}

export interface ResourceSettings {
  readonly assignment: AssignmentSettings;
  /** What pods with users of their own get; undefined is all ids but the first. */
  readonly userIds: UserIdRange | undefined;
  /** What the node gives to all pods together. */
  readonly allPods: CgroupValues;
  /** Cgroups it keeps for others. */
  readonly reserved: readonly ReservedCgroup[];
  /** How much of what higher tiers ask for is kept from lower ones; undefined is nothing. */
  readonly reservedMemoryPercent: number | undefined;
}

export interface Agent {
  /** Undefined where there are no device plugins. */
  readonly devices: DeviceAssembly | undefined;
  readonly podResources: PodResourceReader | undefined;
  /** Undefined standalone. */
  readonly claims: ClaimAssembly | undefined;
  readonly desired: DesiredPods;
  readonly board: StatusBoard;
  readonly observer: RuntimeObserver;
  readonly monitor: RuntimeMonitor;
  readonly supervisor: PodSupervisor;
  readonly explainer: PodExplainer;
  /** When the steps of each pod's life were. */
  readonly timelines: Pick<PodTimelines, 'read'>;
  /** What an operator may ask for pods. */
  readonly operator: Pick<PodOperator, 'retry' | 'restart'>;
  readonly volumes: Pick<VolumeReconciler, 'listVolumePlugins'>;
  /** What the node and its pods use. */
  readonly statistics: NodeStatistics;
  readonly imageCollector: ImageReporter;
  /** Undefined where nothing is watched. */
  readonly evictor: EvictionReporter | undefined;
  /** Undefined where a shutdown does not wait for pods. */
  readonly shutdown: Pick<NodeShutdown, 'times'> | undefined;
  /** Who has what of the machine. */
  readonly resources: ResourceReporter;
  /** What can be deleted before a pod has to go. */
  readonly reclaim: NodeReclaim;
  /** How full the volumes of pods are. */
  readonly volumeStats: VolumeMeasurements;
  /** Every long-lived piece, each after those it was built from. */
  readonly parts: readonly AgentPart[];
  /** Runs until `stop` aborts; containers keep running. */
  run(stop: AbortSignal): Promise<void>;
}
