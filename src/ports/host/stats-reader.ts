/**
 * Where the numbers of the statistics come from: the kernel and the runtime.
 * Paths of cgroups are below the root of the hierarchy, with a leading `/`.
 */
import type { MetricFamily } from '../../base/metric-registry.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import type {
  CgroupDetails,
  FileSystemDetails,
  InterfaceDetails,
  MachineDetails,
} from '../../core/stats/cgroup-details.ts';
import type { RuntimePodSample } from '../../core/stats/runtime-pod-sample.ts';
import type {
  CgroupSample,
  FileSystemSample,
  FilesSample,
  InterfaceSample,
  MachineSample,
  RuntimeContainerSample,
} from '../../core/stats/samples.ts';
import type { RuntimeCallOptions } from '../runtime/container-runtime.ts';

/**
 * What the kernel answers from its memory, so these calls return at once.
 * They read nothing that a pod or a volume could make wait, and never throw
 * for what is not there.
 */
export interface CgroupStats {
  readMachine(): MachineSample;
  /** Undefined when there is no such cgroup. */
  readCgroup(path: string): CgroupSample | undefined;
  hasCgroup(path: string): boolean;
  /** The one that the agent runs in; undefined when it has none of its own. */
  findOwnCgroup(): string | undefined;
  /** When it was made, as far as that can be seen; undefined when there is no such cgroup. */
  readCreation(path: string): number | undefined;
  /** Names of the cgroups right below; none when there is no such cgroup. */
  listCgroups(path: string): readonly string[];
  /** Processes in the cgroup itself, not in those below. */
  countProcesses(path: string): number;
  /** The interfaces that the processes of a cgroup see, or those of the machine; none when it has no process. */
  readInterfaces(of: 'machine' | { readonly cgroup: string }): readonly InterfaceSample[];
}

/** The same with every number that there is; file systems are asked, the rest answers at once. */
export interface CgroupDetailsReader {
  /** Undefined when there is no such cgroup. */
  readDetails(path: string): CgroupDetails | undefined;
  /** As {@link CgroupStats.readInterfaces}. */
  readInterfaceDetails(of: 'machine' | { readonly cgroup: string }): readonly InterfaceDetails[];
  /** Those of the machine's own disks and memory. Never rejects. */
  readFileSystems(): Promise<readonly FileSystemDetails[]>;
  readMachineDetails(): MachineDetails;
}

export interface FileSystemStats {
  /** The file system at the path, as a whole. Rejects with AgentError, at the latest when `signal` aborts. */
  readFileSystem(path: string, signal: AbortSignal): Promise<FileSystemSample>;
  /** Regular files directly inside; none when there is no such directory. Rejects with AgentError. */
  measureFilesIn(directory: string): Promise<FilesSample>;
  /** One file; nothing when it is not there. Rejects with AgentError. */
  measureFile(path: string): Promise<FilesSample>;
}

export interface ContainerStatsReader {
  /** Every container of the runtime. Rejects with AgentError. */
  listContainerStats(options?: RuntimeCallOptions): Promise<ReadonlyMap<ContainerId, RuntimeContainerSample>>;
}

/** What the runtime counts of whole pods, where it is asked to instead of the kernel. */
export interface PodStatsSource {
  /** By sandbox. Undefined when the runtime does not count. Rejects with AgentError. */
  listPodStats(options?: RuntimeCallOptions): Promise<ReadonlyMap<string, RuntimePodSample> | undefined>;
  /** The families of `/metrics/cadvisor`, by name. Undefined when the runtime has none. Rejects with AgentError. */
  listPodMetrics(options?: RuntimeCallOptions): Promise<readonly MetricFamily[] | undefined>;
}
