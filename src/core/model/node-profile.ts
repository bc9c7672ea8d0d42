/**
 * What the rules in this folder need to know about the node and the
 * configuration. Read once at start by main and passed down; the two lookups
 * return the current value, because the answer of the runtime may change.
 */
import type { ResourceList } from '../api/pod.ts';

export type CgroupDriver = 'systemd' | 'cgroupfs';

export interface RuntimeHandlerFacts {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

export interface SwapFacts {
  /** False when the kernel has no swap controller: then no swap setting is passed to the runtime. */
  readonly controllerAvailable: boolean;
  readonly behavior: 'NoSwap' | 'LimitedSwap';
  readonly capacityBytes: number;
  /** What volumes keep in memory can be kept out of swap. */
  readonly tmpfsNoSwap: boolean;
}

export interface NodeProfile {
  readonly nodeName: string;
  /** Another after each start of the machine; empty when it is not known. */
  readonly bootId: string;
  /** As the node object has them, else as found at the start. Primary first; at most two, none while unknown. */
  readonly nodeIps: () => readonly string[];
  readonly rootDir: string;
  readonly podLogsDir: string;

  readonly clusterDomain: string;
  readonly clusterDns: readonly string[];
  /** The resolver file, read again for every pod; empty means there is none. */
  readonly resolvConfPath: string;

  readonly memoryCapacityBytes: number;
  readonly pageSizeBytes: number;
  /** What pods may use of cpu, memory and ephemeral-storage: the default of limits shown to containers. */
  readonly allocatable: ResourceList;
  /** Page sizes the kernel offers, in bytes. */
  readonly hugepageSizesBytes: readonly number[];
  readonly swap: SwapFacts;
  /** Those of `/sys/devices/system/cpu/cpu<N>/thermal_throttle` that exist. */
  readonly thermalThrottlePaths: readonly string[];

  readonly cgroupVersion: 1 | 2;
  readonly cgroupDriver: CgroupDriver;
  readonly cgroupRoot: string;
  readonly cgroupsPerQos: boolean;
  readonly cpuCfsQuota: boolean;
  readonly cpuCfsPeriodUs: number;
  readonly singleProcessOomKill: boolean;
  /** Processes a pod may have; 0 or less leaves it to the node's limit. */
  readonly podPidsLimit: number;
  readonly memoryThrottlingFactor: number;
  readonly memoryReservationPolicy: 'None' | 'TieredReservation';

  readonly seccompDefault: boolean;
  readonly selinuxEnabled: boolean;

  /** The state of a feature gate. */
  readonly features: (name: string) => boolean;
  /** What the runtime reports about its handlers; empty when it reports nothing. */
  readonly runtimeHandlers: () => readonly RuntimeHandlerFacts[];
}
