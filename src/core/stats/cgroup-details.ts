/**
 * Everything that is counted of one cgroup at one moment, for
 * `/metrics/cadvisor`. Amounts in the units of the kernel; a group that is
 * absent is not counted for this cgroup.
 */
import type { PsiStats } from './summary.ts';

export interface CgroupDetails {
  readonly atMs: number;
  readonly cpu: CpuDetails | undefined;
  readonly memory: MemoryDetails | undefined;
  readonly limits: CgroupLimits;
  readonly io: IoDetails;
  readonly tasks: TaskDetails;
}

export interface CpuDetails {
  readonly usageNs: number;
  readonly userNs: number;
  readonly systemNs: number;
  readonly periods: number;
  readonly throttledPeriods: number;
  readonly throttledNs: number;
  readonly burstPeriods: number;
  readonly burstNs: number;
  readonly psi: PsiStats | undefined;
}

export interface MemoryDetails {
  readonly usageBytes: number;
  readonly maxUsageBytes: number;
  readonly cacheBytes: number;
  readonly rssBytes: number;
  readonly kernelBytes: number;
  readonly mappedFileBytes: number;
  readonly swapBytes: number;
  readonly activeFileBytes: number;
  readonly inactiveFileBytes: number;
  /** How often the limit was hit. */
  readonly limitHits: number;
  readonly oomKills: number;
  /** Of the cgroup itself, and with those below it. */
  readonly ownFaults: PageFaults;
  readonly allFaults: PageFaults;
  readonly psi: PsiStats | undefined;
}

export interface PageFaults {
  readonly all: number;
  readonly major: number;
}

/** What the cgroup may use; 0 for no limit. */
export interface CgroupLimits {
  readonly cpu:
    | { readonly periodUs: number; readonly quotaUs: number | undefined; readonly shares: number }
    | undefined;
  readonly memory:
    | { readonly bytes: number; readonly swapBytes: number; readonly reservedBytes: number }
    | undefined;
  readonly tasks: TaskLimits;
}

export interface IoDetails {
  readonly devices: readonly DeviceIo[];
  readonly psi: PsiStats | undefined;
}

/** What a cgroup did with one disk. */
export interface DeviceIo {
  /** Such as `/dev/sda`; empty when the device has no name. */
  readonly device: string;
  readonly major: number;
  readonly minor: number;
  /** By operation, such as `Read`. */
  readonly bytes: Readonly<Record<string, number>>;
  readonly operations: Readonly<Record<string, number>>;
  /** Where the kernel's cost model is on. */
  readonly cost: IoCost | undefined;
}

export interface IoCost {
  readonly usageUs: number;
  readonly waitUs: number;
  readonly indebtUs: number;
  readonly indelayUs: number;
}

export interface TaskDetails {
  /** Of the cgroup itself, not of those below. */
  readonly processes: number;
  readonly descriptors: number;
  readonly sockets: number;
  /** With those of the cgroups below. */
  readonly threads: number;
}

export interface TaskLimits {
  /** 0 for no limit. */
  readonly threads: number;
  /** The soft limit of its first process; undefined without a process. */
  readonly openFiles: number | undefined;
}

/** A network interface since it came up. */
export interface InterfaceDetails {
  readonly name: string;
  readonly received: TrafficDetails;
  readonly sent: TrafficDetails;
}

export interface TrafficDetails {
  readonly bytes: number;
  readonly packets: number;
  readonly errors: number;
  readonly dropped: number;
}

/** A file system of the machine and the disk below it. */
export interface FileSystemDetails {
  readonly device: string;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  /** Undefined for one that is in memory. */
  readonly disk: DiskDetails | undefined;
}

/** A disk since the machine was started. */
export interface DiskDetails {
  readonly reads: DiskOperations;
  readonly writes: DiskOperations;
  readonly inProgress: number;
  readonly busyMs: number;
  readonly weightedMs: number;
}

export interface DiskOperations {
  readonly completed: number;
  readonly merged: number;
  readonly sectors: number;
  readonly ms: number;
}

/** What the machine is; does not change while it runs. */
export interface MachineDetails {
  readonly bootId: string;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly cores: number;
  readonly physicalCores: number;
  readonly sockets: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
}

/** A cgroup with what it is to Kubernetes; texts that are not known are empty. */
export interface MeasuredCgroup {
  readonly labels: CgroupLabels;
  readonly startedAtMs: number;
  readonly details: CgroupDetails;
  /** Of the machine and of sandboxes alone. */
  readonly interfaces: readonly InterfaceDetails[];
  /** Of the machine alone. */
  readonly fileSystems: readonly FileSystemDetails[];
}

export interface CgroupLabels {
  readonly container: string;
  /** Its path. */
  readonly id: string;
  readonly image: string;
  /** The id of the container or sandbox. */
  readonly name: string;
  readonly namespace: string;
  readonly pod: string;
}
