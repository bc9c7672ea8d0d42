/**
 * What the container runtime says about one pod: its sandboxes and
 * containers, as plain facts. This is what decisions and status read; no
 * runtime wire type reaches them. Times are milliseconds since the epoch and
 * may have a fraction (the runtime counts nanoseconds).
 */
import type { StringMap } from '../api/meta.ts';
import { readRestartCount } from './container-labels.ts';
import type { ContainerId, PodUid, SandboxId } from './ids.ts';

export interface ObservedSandbox {
  readonly id: SandboxId;
  readonly podUid: PodUid;
  readonly podName: string;
  readonly podNamespace: string;
  readonly attempt: number;
  readonly ready: boolean;
  readonly createdAtMs: number;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly runtimeHandler: string;
  /** Present once the sandbox's own status was read. */
  readonly network?: SandboxNetwork;
}

export interface SandboxNetwork {
  /** `node` when the sandbox shares the host's network namespace. */
  readonly mode: 'pod' | 'node';
  /** False when the runtime gave no network status at all. */
  readonly reported: boolean;
  /** Primary first; empty for the host's network or when none was given yet. */
  readonly ips: readonly string[];
}

export type ObservedContainerState = 'created' | 'running' | 'exited' | 'unknown';

export interface ObservedContainer {
  readonly id: ContainerId;
  readonly podUid: PodUid;
  readonly sandboxId: SandboxId;
  readonly name: string;
  readonly state: ObservedContainerState;
  readonly createdAtMs: number;
  /** `image` is the reference as the runtime prints it, `imageId` the resolved identity. */
  readonly image: string;
  readonly imageId: string;
  /** Pod name, namespace and container name come from these labels; hash and count from annotations. */
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** The container's own status; absent when only the list entry was read. */
  readonly details?: ContainerDetails;
}

export interface ContainerDetails {
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  readonly exitCode?: number;
  readonly reason: string;
  readonly message: string;
  readonly logPath: string;
  readonly mounts: readonly {
    readonly containerPath: string;
    readonly hostPath: string;
    readonly readOnly: boolean;
  }[];
  readonly user?: {
    readonly uid: number;
    readonly gid: number;
    readonly supplementalGroups: readonly number[];
  };
  readonly stopSignal?: string;
  readonly resources?: LinuxResources;
}

/** Resource settings of a running container or sandbox; absent means not set. */
export interface LinuxResources {
  readonly cpuPeriod?: number;
  readonly cpuQuota?: number;
  readonly cpuShares?: number;
  readonly memoryLimitBytes?: number;
  readonly oomScoreAdj?: number;
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
  readonly hugepageLimits?: readonly { readonly pageSize: string; readonly limitBytes: number }[];
  readonly unified?: StringMap;
  readonly memorySwapLimitBytes?: number;
}

/**
 * One pod as the runtime has it. Sandboxes are newest first by attempt, then
 * creation time, then id; containers newest first by restart, then creation
 * time, then id.
 */
export interface ObservedPod {
  readonly uid: PodUid;
  readonly sandboxes: readonly ObservedSandbox[];
  readonly containers: readonly ObservedContainer[];
}

/** Newest sandbox first: attempt, then creation time, then id. */
export function compareSandboxes(a: ObservedSandbox, b: ObservedSandbox): number {
  return b.attempt - a.attempt || b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1);
}

/** Newest container first: number of its restart, then creation time, then id. A clock may have been set back. */
export function compareContainers(a: ObservedContainer, b: ObservedContainer): number {
  return readRestartCount(b) - readRestartCount(a) || b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1);
}

/**
 * The newest instance of a container name, across all sandboxes: "the" status
 * of that container. A creation that hung may come through after its sandbox
 * was replaced: such an instance never starts and counts only where it is alone.
 */
export function newestInstance(pod: ObservedPod, name: string): ObservedContainer | undefined {
  const newest = pod.containers.find((container) => container.name === name);
  if (newest?.state !== 'created' || newest.sandboxId === pod.sandboxes[0]?.id) return newest;
  return (
    pod.containers.find((container) => container.name === name && container.state !== 'created') ?? newest
  );
}

/** True while anything of the pod may execute: a ready sandbox or a container that is not known to have ended. */
export function hasRunning(pod: ObservedPod): boolean {
  return (
    pod.sandboxes.some((s) => s.ready) ||
    pod.containers.some((c) => c.state === 'running' || c.state === 'unknown')
  );
}
