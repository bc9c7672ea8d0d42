/**
 * What was measured at one moment: the numbers of the kernel and of the
 * runtime, before they become a summary. A number that is absent is not known.
 */
import type { PsiStats } from './summary.ts';

/** One cgroup with everything below it. */
export interface CgroupSample {
  readonly atMs: number;
  readonly cpu?: CpuSample;
  readonly memory?: MemorySample;
  readonly ioPsi?: PsiStats;
}

export interface CpuSample {
  /** Of all CPUs together since the cgroup was made. */
  readonly usageNs: number;
  readonly psi?: PsiStats;
}

export interface MemorySample {
  readonly usageBytes: number;
  /** File pages that were not used for a while: the kernel takes them back first. */
  readonly inactiveFileBytes: number;
  /** File pages in use; absent where they are not counted. */
  readonly activeFileBytes?: number;
  readonly rssBytes: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  /** Absent without a limit. */
  readonly limitBytes?: number;
  readonly swapBytes?: number;
  /** Absent without a limit. */
  readonly swapLimitBytes?: number;
  readonly psi?: PsiStats;
}

/** The machine as a whole. */
export interface MachineSample {
  readonly atMs: number;
  readonly bootAtMs: number;
  readonly root: CgroupSample | undefined;
  /** Processes and threads: as many as there may be, and as many as there are. */
  readonly maxPid: number | undefined;
  readonly tasks: number | undefined;
}

/** A network interface since it came up. */
export interface InterfaceSample {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxErrors: number;
  readonly txBytes: number;
  readonly txErrors: number;
}

/** A file system as a whole. */
export interface FileSystemSample {
  readonly atMs: number;
  /** Two places with the same device share their space. */
  readonly device: string;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

/** Files that were counted one by one. */
export interface FilesSample {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

/** What the runtime itself counts for a container. */
export interface RuntimeContainerSample {
  readonly atMs: number;
  readonly usageNs?: number;
  readonly usageNanoCores?: number;
  readonly workingSetBytes?: number;
  readonly writableLayer?: WritableLayer;
}

export interface WritableLayer extends FilesSample {
  readonly atMs: number;
  readonly mountpoint: string;
}
