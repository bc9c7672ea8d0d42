/**
 * Measures the pods that the runtime lists. Cgroups and networks answer at
 * once; logs and file systems are asked only for a whole summary. A pod that
 * cannot be measured is left out and the others are not.
 */
import { sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { containerLogDirectory, podLogDirectory } from '../../core/model/log-paths.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { ObservedContainer, ObservedSandbox } from '../../core/model/observed-pod.ts';
import { hostsFilePath } from '../../core/model/pod-paths.ts';
import type { RunningPod } from '../../core/stats/pick-running.ts';
import type { RuntimePodSample } from '../../core/stats/runtime-pod-sample.ts';
import type { FileSystemSample, FilesSample, RuntimeContainerSample } from '../../core/stats/samples.ts';
import type { FsStats, NetworkStats, PodStats } from '../../core/stats/summary.ts';
import { toLogs, toRuntimeFs } from '../../core/stats/to-fs.ts';
import { toNetworkStats } from '../../core/stats/to-network.ts';
import {
  type ContainerReading,
  isLocalEphemeral,
  type PodReading,
  type PodStorageReading,
  toPodStats,
} from '../../core/stats/to-pod-stats.ts';
import { toRuntimeUsage, type Usage } from '../../core/stats/to-usage.ts';
import type { VolumeMeasurement } from '../../core/volume/volume-usage.ts';
import type { CgroupStats, FileSystemStats } from '../../ports/host/stats-reader.ts';
import type { Kit } from '../../ports/kit.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import { CgroupPaths } from './pod-cgroups.ts';

/** So many pods are read before other work gets its turn. */
const PODS_PER_TURN = 16;

export interface PodStatsReaderParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly cgroupStats: CgroupStats;
  readonly fileSystems: Pick<FileSystemStats, 'measureFilesIn' | 'measureFile'>;
  readonly usage: CgroupUsage;
  /** Undefined for a pod that only the runtime knows. */
  readonly readPod: (uid: PodUid) => Pod | undefined;
  readonly node: Pick<
    NodeProfile,
    'rootDir' | 'podLogsDir' | 'cgroupRoot' | 'cgroupDriver' | 'cgroupsPerQos'
  >;
}

/** What was read for all pods together. */
export interface SharedSamples {
  readonly runtime: ReadonlyMap<string, RuntimeContainerSample>;
  /** By sandbox, where the runtime counts pods instead of the kernel; else undefined. */
  readonly pods: ReadonlyMap<string, RuntimePodSample> | undefined;
  /** Undefined when only CPU and memory are asked for. */
  readonly storage: StorageSamples | undefined;
}

export interface StorageSamples {
  readonly nodeFs: FileSystemSample;
  /** By mount point. */
  readonly fileSystems: ReadonlyMap<string, FileSystemSample>;
  readonly volumes: readonly VolumeMeasurement[];
}

export class PodStatsReader {
  readonly #parts: PodStatsReaderParts;
  readonly #cgroups: CgroupPaths;

  constructor(parts: PodStatsReaderParts) {
    this.#parts = parts;
    this.#cgroups = new CgroupPaths(parts);
  }

  async read(pods: readonly RunningPod[], samples: SharedSamples): Promise<PodStats[]> {
    const { clock } = this.#parts;
    const volumes = Map.groupBy(samples.storage?.volumes ?? [], ({ podUid }) => podUid);
    const all: PodStats[] = [];
    this.#cgroups.beginReading();
    for (const [index, pod] of pods.entries()) {
      if (index > 0 && index % PODS_PER_TURN === 0) await sleep(clock, 0);
      const stats = await this.#readPod(pod, samples, volumes.get(pod.sandbox.podUid) ?? []);
      if (stats !== undefined) all.push(stats);
    }
    return all;
  }

  async #readPod(
    { sandbox, containers }: RunningPod,
    samples: SharedSamples,
    volumes: readonly VolumeMeasurement[],
  ): Promise<PodStats | undefined> {
    const { podUid, podName: name, podNamespace: namespace } = sandbox;
    try {
      const cgroup = this.#cgroups.findPod(podUid);
      const place = { cgroup, logs: this.#logDirectory(sandbox) };
      const counted = samples.pods?.get(sandbox.id);
      const read: ContainerReading[] = [];
      for (const container of containers) {
        const used = counted?.containers.get(container.id);
        read.push(await this.#readContainer(container, place, samples, used));
      }
      const reading: PodReading = {
        podRef: { name, namespace, uid: podUid },
        createdAtMs: sandbox.createdAtMs,
        usage: counted?.usage ?? (cgroup === undefined ? undefined : this.#parts.usage.read(cgroup)),
        containers: read,
        network: samples.storage && this.#readNetwork(sandbox, place, counted),
        processes: counted?.processes,
        storage: samples.storage && (await this.#readStorage(sandbox, place, samples.storage, volumes)),
      };
      return toPodStats(reading);
    } catch (error) {
      const pod = `${namespace}/${name}`;
      this.#parts.logger.debug({ file: 'pod-stats-reader', level: 2 }, 'cannot measure a pod', {
        pod,
        podUid,
        err: errorText(error),
      });
      return undefined;
    }
  }

  async #readContainer(
    { id, name, createdAtMs }: ObservedContainer,
    { cgroup, logs }: PodPlace,
    { runtime, storage }: SharedSamples,
    used: Usage | undefined,
  ): Promise<ContainerReading> {
    const { usage, cgroupStats, clock, fileSystems } = this.#parts;
    const path = this.#cgroups.findContainer(cgroup, id);
    const counted = runtime.get(id);
    const measured = used ?? (path === undefined ? undefined : usage.read(path));
    return {
      name,
      createdAtMs,
      usage: measured ?? toRuntimeUsage(counted, clock.now()),
      rootfs: storage && toRootfs(counted, storage),
      logs:
        storage &&
        toLogs(await fileSystems.measureFilesIn(`${logs}/${containerLogDirectory(name)}`), storage.nodeFs),
      processes: storage && path !== undefined ? cgroupStats.countProcesses(path) : undefined,
    };
  }

  #logDirectory({ podNamespace, podName, podUid }: ObservedSandbox): string {
    const metadata = { namespace: podNamespace, name: podName, uid: podUid };
    return podLogDirectory(this.#parts.node.podLogsDir, { metadata });
  }

  #readNetwork(
    { id }: ObservedSandbox,
    { cgroup }: PodPlace,
    counted: RuntimePodSample | undefined,
  ): NetworkStats | undefined {
    if (counted !== undefined) return toNetworkStats(counted.interfaces, this.#parts.clock.now());
    const path = this.#cgroups.findContainer(cgroup, id);
    if (path === undefined) return undefined;
    const { cgroupStats, clock } = this.#parts;
    return toNetworkStats(cgroupStats.readInterfaces({ cgroup: path }), clock.now());
  }

  async #readStorage(
    { podUid }: ObservedSandbox,
    { logs }: PodPlace,
    { nodeFs }: StorageSamples,
    volumes: readonly VolumeMeasurement[],
  ): Promise<PodStorageReading> {
    const { fileSystems, node, readPod } = this.#parts;
    const local = (readPod(podUid)?.spec.volumes ?? []).filter(isLocalEphemeral).map(({ name }) => name);
    const ownFiles: FilesSample[] = [
      await fileSystems.measureFilesIn(logs),
      await fileSystems.measureFile(hostsFilePath(node.rootDir, podUid)),
    ];
    return { nodeFs, volumes, localVolumes: new Set(local), ownFiles };
  }
}

/** Where the parts of a pod are. */
interface PodPlace {
  readonly cgroup: string | undefined;
  readonly logs: string;
}

function toRootfs(
  counted: RuntimeContainerSample | undefined,
  { fileSystems }: StorageSamples,
): FsStats | undefined {
  const layer = counted?.writableLayer;
  return layer && toRuntimeFs(layer, fileSystems.get(layer.mountpoint));
}
