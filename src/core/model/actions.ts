/**
 * Everything the agent can do to a pod, as data. A decision returns these in
 * order; agent/perform-action.ts holds exactly one performer per kind.
 */
import type { Container, LifecycleHandler, ResourceRequirements } from '../api/pod.ts';
import type { CrashLoopEntry } from './crash-loop-entry.ts';
import type { ContainerId, SandboxId } from './ids.ts';

export type ContainerRole = 'init' | 'sidecar' | 'regular' | 'ephemeral';

export type Action =
  /** Before anything runs: every volume that a container uses. */
  | { readonly kind: 'mount-volumes' }
  | CreateSandbox
  | ResizePod
  | PinContainers
  | StartContainer
  | StopContainers
  | { readonly kind: 'stop-sandbox'; readonly sandboxId: SandboxId }
  | RemoveContainer
  | { readonly kind: 'remove-sandbox'; readonly sandboxId: SandboxId }
  /** After everything has ended: drivers of dynamic resources take back what they prepared. */
  | { readonly kind: 'release-claims' }
  /** After everything has ended, before the pod is released; content goes with them. */
  | { readonly kind: 'unmount-volumes' }
  /** The last action of a pod: its directories, logs and cgroup go. */
  | { readonly kind: 'release-pod' };

export interface CreateSandbox {
  readonly kind: 'create-sandbox';
  readonly attempt: number;
  readonly replaces?: SandboxId;
}

/** Gives what runs the resources it was granted, and the pod's cgroup with it. */
export interface ResizePod {
  readonly kind: 'resize-pod';
  readonly sandboxId: SandboxId;
  /** Changed in place; empty when only the pod's cgroup has to follow. */
  readonly resizes: readonly ContainerResize[];
  /** Containers restart with other resources, or those of the pod changed: CPU and memory are both updated. */
  readonly wholePod: boolean;
}

export interface ContainerResize {
  readonly id: ContainerId;
  readonly container: Container;
  readonly role: ContainerRole;
  /** What is in force, with the pod's limits where the container has none. */
  readonly from: ResourceRequirements;
  readonly to: ResourceRequirements;
}

/** Moves running containers to other CPUs. */
export interface PinContainers {
  readonly kind: 'pin-containers';
  /** CPUs as a list, such as `0-3,8`. */
  readonly pins: readonly { readonly id: ContainerId; readonly name: string; readonly cpus: string }[];
}

export interface StartContainer {
  readonly kind: 'start-container';
  readonly container: Container;
  readonly role: ContainerRole;
  readonly sandboxId: SandboxId;
  readonly sandboxAttempt: number;
  /** Present when an earlier instance ended: the crash-loop entry to remember before the start. */
  readonly backOff?: { readonly key: string; readonly entry: CrashLoopEntry };
}

/** Containers stopped side by side; `after` makes one wait for others of the same action. */
export interface StopContainers {
  readonly kind: 'stop-containers';
  readonly stops: readonly ContainerStop[];
}

export interface ContainerStop {
  readonly id: ContainerId;
  readonly name: string;
  readonly role: ContainerRole;
  readonly graceSeconds: number;
  /** The text of the Killing event; undefined when the container is unknown to the pod. */
  readonly message?: string;
  readonly preStop?: LifecycleHandler;
  /** Stop signals of these are sent, and the containers gone, before this one is stopped. */
  readonly after: readonly ContainerId[];
}

export interface RemoveContainer {
  readonly kind: 'remove-container';
  readonly id: ContainerId;
  readonly name: string;
  /** Running the container again continues its log numbering, so logs may have to stay. */
  readonly keepLogs: boolean;
}
