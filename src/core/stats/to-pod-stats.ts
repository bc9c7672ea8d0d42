/** What was measured of one pod, as the summary shows it. */
import type { Volume } from '../api/volume.ts';
import type { VolumeMeasurement } from '../volume/volume-usage.ts';
import type { FileSystemSample, FilesSample } from './samples.ts';
import { toStatsTime } from './stats-time.ts';
import type {
  ContainerStats,
  FsStats,
  NetworkStats,
  PodReference,
  PodStats,
  ProcessStats,
  VolumeStats,
} from './summary.ts';
import { toEphemeralStorage } from './to-fs.ts';
import { sumUsages, type Usage } from './to-usage.ts';

export interface ContainerReading {
  readonly name: string;
  readonly createdAtMs: number;
  readonly usage: Usage;
  readonly rootfs: FsStats | undefined;
  readonly logs: FsStats | undefined;
  /** Processes in the container's cgroup; undefined when that is not known. */
  readonly processes: number | undefined;
}

export interface PodReading {
  readonly podRef: PodReference;
  readonly createdAtMs: number;
  /** Of the pod's own cgroup; undefined when it has none. */
  readonly usage: Usage | undefined;
  readonly containers: readonly ContainerReading[];
  readonly network: NetworkStats | undefined;
  /** As the runtime counts them; undefined where the cgroups of containers say it. */
  readonly processes: number | undefined;
  /** Undefined when only CPU and memory were read. */
  readonly storage: PodStorageReading | undefined;
}

export interface PodStorageReading {
  /** The file system of the kubelet's root directory. */
  readonly nodeFs: FileSystemSample;
  readonly volumes: readonly VolumeMeasurement[];
  /** Names of the volumes that count as the pod's use of the node's disk. */
  readonly localVolumes: ReadonlySet<string>;
  /** Files of the pod itself: logs beside those of containers, its hosts file. */
  readonly ownFiles: readonly FilesSample[];
}

export function toPodStats(reading: PodReading): PodStats {
  const { podRef, createdAtMs, usage, containers, network, processes, storage } = reading;
  const volumes = storage?.volumes.map(toVolumeStats) ?? [];
  return {
    podRef,
    startTime: toStatsTime(createdAtMs),
    containers: containers.map(toContainerStats),
    ...(usage ?? sumUsages(containers.map((container) => container.usage))),
    ...(network && { network }),
    ...(volumes.length > 0 && { volume: volumes }),
    ...(storage && { 'ephemeral-storage': toPodStorage(containers, storage) }),
    ...(storage && { process_stats: toProcessStats(containers, processes) }),
  };
}

function toContainerStats({ name, createdAtMs, usage, rootfs, logs }: ContainerReading): ContainerStats {
  return {
    name,
    startTime: toStatsTime(createdAtMs),
    ...usage,
    ...(rootfs && { rootfs }),
    ...(logs && { logs }),
  };
}

function toProcessStats(containers: readonly ContainerReading[], counted: number | undefined): ProcessStats {
  return { process_count: counted ?? containers.reduce((sum, { processes }) => sum + (processes ?? 0), 0) };
}

function toPodStorage(
  containers: readonly ContainerReading[],
  { nodeFs, volumes, localVolumes, ownFiles }: PodStorageReading,
): FsStats {
  const local = volumes.filter(({ volume }) => localVolumes.has(volume)).map(({ usage }) => usage);
  return toEphemeralStorage(nodeFs, [
    ...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]),
    ...local,
    ...ownFiles,
  ]);
}

function toVolumeStats({ volume, claim, takenAtMs, usage, condition }: VolumeMeasurement): VolumeStats {
  return {
    time: toStatsTime(takenAtMs),
    ...usage,
    name: volume,
    ...(claim && { pvcRef: { name: claim.name, namespace: claim.namespace } }),
    ...(condition && { volumeHealthStats: { abnormal: condition.abnormal } }),
  };
}

/** Its content is the pod's and lies on the node's own disk. */
export function isLocalEphemeral({ emptyDir, configMap, gitRepo }: Volume): boolean {
  return (
    configMap !== undefined ||
    gitRepo !== undefined ||
    (emptyDir !== undefined && (emptyDir.medium ?? '') === '')
  );
}
