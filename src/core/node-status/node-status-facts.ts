/**
 * What a node status is computed from: everything the agent knows about its
 * machine, its runtime and itself at one moment. Gathered by
 * agent/node-fact-reader; only read here.
 */
import type { ResourceList } from '../api/pod.ts';
import type { RuntimeHandlerFacts } from '../model/node-profile.ts';

export interface NodeStatusFacts {
  readonly nodeName: string;
  readonly addresses: AddressFacts;
  readonly resources: ResourceFacts;
  readonly system: SystemFacts;
  /** Undefined until the runtime has reported its version: then the current value stays. */
  readonly runtime: { readonly name: string; readonly version: string | undefined } | undefined;
  readonly kubeletVersion: string;
  readonly kubeletPort: number;
  /** Undefined until the runtime has listed them: then the current value stays. */
  readonly images: readonly ImageFacts[] | undefined;
  /** -1 for all. */
  readonly maxImages: number;
  /** Undefined until the runtime has reported it: then the current value stays. */
  readonly runtimeHandlers: readonly RuntimeHandlerFacts[] | undefined;
  readonly runtimeFeatures: { readonly supplementalGroupsPolicy: boolean } | undefined;
  readonly pressures: PressureFacts;
  readonly problems: ReadinessProblems;
  /** Whether a shutdown of the machine waits for pods; undefined where it is not to. */
  readonly shutdownGuard: ShutdownGuard | undefined;
  /** False on a version 1 cgroup host whose kernel cannot cap CPU. */
  readonly canCapCpu: boolean;
  /** Undefined until the volumes of a previous run are known: then the current value stays. */
  readonly volumesInUse: readonly string[] | undefined;
  /** Undefined when nothing is to be declared. */
  readonly declaredFeatures: readonly string[] | undefined;
}

export interface AddressFacts {
  /** From `--node-ip`; `0.0.0.0` and `::` only prefer a family. */
  readonly requested: readonly string[];
  readonly externalCloud: boolean;
  /** Those found or confirmed now, primary first; none when there is a problem. */
  readonly ips: readonly string[];
  readonly problem?: string;
}

export interface ResourceFacts {
  /** Undefined when the machine could not be read. */
  readonly machine: MachineResources | undefined;
  readonly maxPods: number;
  /** 0 for no limit but maxPods. */
  readonly podsPerCore: number;
  /** Whether ephemeral storage is counted. */
  readonly localStorage: boolean;
  /** Kept from pods, by resource: for the system, Kubernetes and hard eviction. */
  readonly reserved: ResourceList;
  /** Of device plugins; those that are gone with 0. */
  readonly devices: readonly DeviceResource[];
}

export interface MachineResources {
  readonly cpuCount: number;
  readonly memoryBytes: number;
  /** Undefined when the file system could not be asked. */
  readonly ephemeralStorageBytes: number | undefined;
  /** Every size the kernel offers, also those of which there are none. */
  readonly hugepages: readonly HugepageTotal[];
}

export interface HugepageTotal {
  readonly pageBytes: number;
  readonly totalBytes: number;
}

export interface DeviceResource {
  readonly name: string;
  readonly capacity: number;
  readonly allocatable: number;
  /** How many pods have, which may be more than are healthy; admission counts at least these. */
  readonly assigned?: number;
}

/** In the words of the API: GOOS and GOARCH. */
export interface SystemFacts {
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly swapBytes: number;
}

export interface ImageFacts {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
}

/** Found by the eviction loop. */
export interface PressureFacts {
  readonly memory: boolean;
  readonly disk: boolean;
  readonly pid: boolean;
}

/** Why pods cannot be run here, in words; a source without a problem is absent. */
export interface ReadinessProblems {
  readonly runtime?: readonly string[];
  readonly network?: string | undefined;
  readonly storage?: string | undefined;
  readonly shutdown?: string | undefined;
}

/** Whether a shutdown of the machine waits until pods have ended. */
export type ShutdownGuard =
  | { readonly kind: 'held' }
  /** It waits, but not for as long as pods may take. */
  | { readonly kind: 'short'; readonly problem: string }
  | { readonly kind: 'missing'; readonly problem: string };
