/**
 * What the agent is made of and what it shows: the ports it acts through, the
 * settings it follows, and the parts that others may look at.
 */
import type { BackOffPolicy } from '../base/back-off.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { StringMap } from '../core/api/meta.ts';
import type { Pod } from '../core/api/pod.ts';
import type { DesiredPod } from '../core/model/desired-pod.ts';
import type { EnvironmentObjects } from '../core/model/environment-objects.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { Admission } from '../core/node/admit-pod.ts';
import type { UserIdRange } from '../core/node/user-ids.ts';
import type { DeadContainerPolicy } from '../core/pod/dead-containers.ts';
import type { CgroupValues } from '../core/resources/cgroup-values.ts';
import type { AgentMeter } from '../ports/agent-meter.ts';
import type { PodCgroups } from '../ports/cgroups.ts';
import type { CheckpointStore } from '../ports/checkpoint-store.ts';
import type { ClaimReader } from '../ports/claim-reader.ts';
import type { ContainerRuntime, RuntimeReader } from '../ports/container-runtime.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { HostFiles } from '../ports/host-files.ts';
import type { ImageMeter } from '../ports/image-meter.ts';
import type { ImageService } from '../ports/image-service.ts';
import type { Mounter } from '../ports/mounter.ts';
import type { ObjectReader } from '../ports/object-reader.ts';
import type { PodSource } from '../ports/pod-source.ts';
import type { ProbeTransport } from '../ports/probe-transport.ts';
import type { ProjectedCredentials } from '../ports/projected-credentials.ts';
import type { RuntimeClasses } from '../ports/runtime-classes.ts';
import type { TokenSource } from '../ports/token-source.ts';
import type { PodAttachments } from '../ports/volume-attachments.ts';
import type { SubPathBinder, VolumeDriver, VolumeDriverFamily } from '../ports/volume-driver.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import type { CredentialPluginPorts, ImageSettings } from './image/assemble-images.ts';
import type { PodExplainer } from './pod/pod-explainer.ts';
import type { PodSupervisor } from './pod/pod-supervisor.ts';
import type { PublishedStatus, StatusBoard } from './pod/status-board.ts';
import type { ReservedCgroup } from './resources/reserved-cgroups.ts';
import type { RuntimeMonitor } from './runtime/runtime-monitor.ts';
import type { RuntimeObserver } from './runtime/runtime-observer.ts';
import type { VolumeMeasurements } from './volume/volume-measurer.ts';
import type { VolumeReconciler } from './volume/volume-reconciler.ts';

export interface AgentPorts {
  readonly runtime: ContainerRuntime;
  readonly reader: RuntimeReader;
  readonly images: ImageService;
  readonly files: HostFiles;
  readonly checkpoints: CheckpointStore;
  readonly cgroups: PodCgroups;
  readonly events: EventRecorder;
  readonly probes: ProbeTransport;
  readonly mounter: Mounter;
  readonly volumeDrivers: readonly VolumeDriver[];
  readonly flexDrivers?: VolumeDriverFamily;
  readonly subPaths: SubPathBinder;
  readonly objects: ObjectReader;
  /** Tokens of pods' service accounts; absent standalone. */
  readonly tokens?: TokenSource;
  /** Programs that know registry credentials; absent when none are configured. */
  readonly credentialPlugins?: CredentialPluginPorts;
  /** Absent where nobody attaches volumes. */
  readonly attachments?: PodAttachments;
  /** Absent where there are no claims. */
  readonly claims?: ClaimReader;
  /** Absent where there are none. */
  readonly credentials?: ProjectedCredentials;
  /** Absent standalone: every pod gets the handler of the runtime itself. */
  readonly runtimeClasses?: RuntimeClasses;
  /** The services of the cluster; absent standalone. */
  readonly services?: EnvironmentObjects['services'];
  readonly sources: readonly PodSource[];
  /** Counts for metrics; without it nobody does. */
  readonly meter?: AgentMeter;
  readonly imageMeter?: ImageMeter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1); spreads retries. */
  readonly random: () => number;
}

/** What a cluster wants to know besides published statuses. */
export interface ClusterHooks {
  /** After each delivery of the API server: its images of our static pods. */
  onApiPods(mirrors: readonly Pod[]): void;
  /** Nothing of the pod is left on this node. */
  onGone(record: DesiredPod, published: PublishedStatus | undefined): void;
}

export interface AgentSettings {
  readonly node: NodeProfile;
  /** Heavy runtime steps at a time; by default one more than the machine has cores. */
  readonly startGateWidth?: number;
  readonly crashLoopPolicy: BackOffPolicy;
  /** How many dead containers are kept; one of each by default. */
  readonly deadContainers?: DeadContainerPolicy;
  /** Whether the node takes a pod it sees for the first time; without it all are taken. */
  readonly admit?: (pod: Pod, others: readonly Pod[]) => Admission;
  /** Reads anew what `admit` knows of the node; absent standalone. */
  readonly refreshNode?: () => Promise<void>;
  /** What pods with users of their own get; by default all ids but the first. */
  readonly userIds?: UserIdRange;
  /** The labels of the node: some persistent volumes are for some nodes only. */
  readonly readNodeLabels?: () => StringMap;
  /** Whether it grants a running pod what its spec asks for now; without it all is granted. */
  readonly admitResize?: (pod: Pod, granted: Pod, others: readonly Pod[]) => Admission;
  /** What the node gives to all pods, and cgroups it keeps for others; without it only pods have limits. */
  readonly nodeCgroups?: {
    readonly allPods: CgroupValues;
    readonly reserved: readonly ReservedCgroup[];
    readonly reservedMemoryPercent?: number;
  };
  readonly images: ImageSettings;
  /** How often volumes are measured; without it, or with 0 or less, never. */
  readonly volumeStatsPeriodMs?: number;
}

export interface Agent {
  readonly desired: DesiredPods;
  readonly board: StatusBoard;
  readonly observer: RuntimeObserver;
  readonly monitor: RuntimeMonitor;
  readonly supervisor: PodSupervisor;
  readonly explainer: PodExplainer;
  readonly volumes: Pick<VolumeReconciler, 'listVolumePlugins'>;
  /** How full the volumes of pods are. */
  readonly volumeStats: VolumeMeasurements;
  /** Runs until `stop` aborts; containers keep running. */
  run(stop: AbortSignal): Promise<void>;
}
