/**
 * The container runtime as the agent sees it: one interface to change things,
 * one to read. Both are implemented by adapters/cri and by the fake in test/fakes,
 * and both pass the contract suite in test/contract.
 *
 * Every call rejects with AgentError; an aborted `signal` rejects with code
 * `cancelled`. Stop and remove calls succeed when there is nothing left to do.
 */

import type { ContainerConfig } from '../../core/model/container-config.ts';
import type { ContainerId, PodUid, SandboxId } from '../../core/model/ids.ts';
import type { LinuxResources, ObservedContainer, ObservedSandbox } from '../../core/model/observed-pod.ts';
import type { SandboxConfig } from '../../core/model/sandbox-config.ts';

export interface RuntimeCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** What the call is for, such as `default/web`: names a hanging call in health output and logs. */
  readonly label?: string;
}

export interface ExecResult {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}

/** Changes what runs. */
export interface ContainerRuntime {
  runSandbox(config: SandboxConfig, runtimeHandler: string, options?: RuntimeCallOptions): Promise<SandboxId>;
  stopSandbox(id: SandboxId, options?: RuntimeCallOptions): Promise<void>;
  removeSandbox(id: SandboxId, options?: RuntimeCallOptions): Promise<void>;
  /**
   * Announces the resources of the pod's cgroup before they are written. Rejects
   * when the runtime refuses them; resolves when it does not implement the call.
   */
  updateSandbox(
    id: SandboxId,
    resources: LinuxResources,
    overhead: LinuxResources,
    options?: RuntimeCallOptions,
  ): Promise<void>;
  createContainer(
    sandbox: SandboxId,
    config: ContainerConfig,
    sandboxConfig: SandboxConfig,
    options?: RuntimeCallOptions,
  ): Promise<ContainerId>;
  startContainer(id: ContainerId, options?: RuntimeCallOptions): Promise<void>;
  /** Asks the container to end and kills it after `graceSeconds`; 0 kills at once. */
  stopContainer(id: ContainerId, graceSeconds: number, options?: RuntimeCallOptions): Promise<void>;
  removeContainer(id: ContainerId, options?: RuntimeCallOptions): Promise<void>;
  updateContainer(id: ContainerId, resources: LinuxResources, options?: RuntimeCallOptions): Promise<void>;
  /** Sends the runtime the address ranges of pods, separated by commas. */
  updatePodCidr(cidr: string, options?: RuntimeCallOptions): Promise<void>;
  reopenContainerLog(id: ContainerId, options?: RuntimeCallOptions): Promise<void>;
  /** Runs a command to its end; `timeoutSeconds` 0 means no limit, running into it is `deadline-exceeded`. */
  execSync(
    id: ContainerId,
    command: readonly string[],
    timeoutSeconds: number,
    options?: RuntimeCallOptions,
  ): Promise<ExecResult>;
}

export interface RuntimeVersion {
  /** The scheme of container ids in the API, such as `containerd`. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
}

export interface RuntimeCondition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface RuntimeStatus {
  readonly conditions: readonly RuntimeCondition[];
  readonly handlers: readonly {
    readonly name: string;
    readonly recursiveReadOnlyMounts: boolean;
    readonly userNamespaces: boolean;
  }[];
  readonly features: {
    readonly supplementalGroupsPolicy: boolean;
    readonly userNamespacesHostNetwork: boolean;
  };
}

/** Something happened to a pod. Only a wake-up: the receiver re-reads. */
export interface RuntimeEvent {
  readonly kind: 'created' | 'started' | 'stopped' | 'deleted';
  /** A container's id, or the sandbox's own id. */
  readonly id: string;
  /** Absent when the runtime did not name the pod. */
  readonly podUid?: PodUid;
}

/** Looks at what runs; changes nothing. */
/** As its container has it: how it was asked for, and its identity. */
export interface UsedImage {
  readonly image: string;
  readonly imageId: string;
}

export interface RuntimeReader {
  version(options?: RuntimeCallOptions): Promise<RuntimeVersion>;
  status(options?: RuntimeCallOptions): Promise<RuntimeStatus>;
  /** `systemd` or `cgroupfs` when the runtime reports its driver, undefined when it does not. */
  cgroupDriver(options?: RuntimeCallOptions): Promise<'systemd' | 'cgroupfs' | undefined>;
  /** List entries without `network`; all pods, or one. */
  listSandboxes(podUid?: PodUid, options?: RuntimeCallOptions): Promise<ObservedSandbox[]>;
  /** List entries without `details`; all pods, or one. */
  listContainers(podUid?: PodUid, options?: RuntimeCallOptions): Promise<ObservedContainer[]>;
  /** The images of all containers, whatever their state, also of those that are no pod's. */
  listUsedImages(options?: RuntimeCallOptions): Promise<UsedImage[]>;
  /** With `network`; undefined when the sandbox is gone. */
  sandboxStatus(id: SandboxId, options?: RuntimeCallOptions): Promise<ObservedSandbox | undefined>;
  /** With `details`; undefined when the container is gone. */
  containerStatus(id: ContainerId, options?: RuntimeCallOptions): Promise<ObservedContainer | undefined>;
  /**
   * Calls `onEvent` for every event until the stream breaks or `signal`
   * aborts; `onOpen` once when the stream is established. Resolves only on
   * abort. Rejects with `unimplemented` when the runtime has no event stream
   * and `unavailable` when the stream broke.
   */
  watchEvents(
    onEvent: (event: RuntimeEvent) => void,
    options: { readonly signal: AbortSignal; readonly onOpen?: () => void },
  ): Promise<void>;
}
