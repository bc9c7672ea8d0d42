/** The port ContainerRuntime on the runtime interface: changes what runs. Holds no state. */
import { AgentError, hasCode } from '../../base/errors.ts';
import type { ContainerConfig } from '../../core/model/container-config.ts';
import { type ContainerId, type SandboxId, toContainerId, toSandboxId } from '../../core/model/ids.ts';
import type { LinuxResources } from '../../core/model/observed-pod.ts';
import type { SandboxConfig } from '../../core/model/sandbox-config.ts';
import type {
  ContainerRuntime,
  ExecResult,
  RuntimeCallOptions,
} from '../../ports/runtime/container-runtime.ts';
import type { CriClient } from './cri-client.ts';
import { toOwnerLabels } from './pod-owner.ts';
import { toWireContainer, toWireResources, toWireSandbox } from './to-wire.ts';

export class CriContainerRuntime implements ContainerRuntime {
  readonly #client: CriClient;
  /** What a pod calls itself does not count: these labels come last. */
  readonly #ownerLabels: Readonly<Record<string, string>>;

  constructor(client: CriClient, podOwner?: string) {
    this.#client = client;
    this.#ownerLabels = toOwnerLabels(podOwner);
  }

  async runSandbox(
    config: SandboxConfig,
    runtimeHandler: string,
    options?: RuntimeCallOptions,
  ): Promise<SandboxId> {
    const wire = toWireSandbox(config);
    const labels = { ...wire.labels, ...this.#ownerLabels };
    const request = { config: { ...wire, labels }, runtimeHandler };
    return toSandboxId((await this.#client.call('runPodSandbox', request, options)).podSandboxId);
  }

  async stopSandbox(id: SandboxId, options?: RuntimeCallOptions): Promise<void> {
    await ignoreMissing(this.#client.call('stopPodSandbox', { podSandboxId: id }, options));
  }

  async removeSandbox(id: SandboxId, options?: RuntimeCallOptions): Promise<void> {
    await ignoreMissing(this.#client.call('removePodSandbox', { podSandboxId: id }, options));
  }

  async updateSandbox(
    id: SandboxId,
    resources: LinuxResources,
    overhead: LinuxResources,
    options?: RuntimeCallOptions,
  ): Promise<void> {
    const request = {
      podSandboxId: id,
      overhead: toWireResources(overhead),
      resources: toWireResources(resources),
    };
    try {
      await this.#client.call('updatePodSandboxResources', request, options);
    } catch (error) {
      // containerd 2.2 says so in the message, without the code for it.
      const isUnknownCall =
        hasCode(error, 'unimplemented') ||
        (hasCode(error, 'unknown') && /not implemented/.test(error.message));
      if (!isUnknownCall) throw error;
    }
  }

  async createContainer(
    sandbox: SandboxId,
    config: ContainerConfig,
    sandboxConfig: SandboxConfig,
    options?: RuntimeCallOptions,
  ): Promise<ContainerId> {
    const wire = toWireContainer(config, sandboxConfig);
    const request = {
      podSandboxId: sandbox,
      config: { ...wire, labels: { ...wire.labels, ...this.#ownerLabels } },
      sandboxConfig: toWireSandbox(sandboxConfig),
    };
    return toContainerId((await this.#client.call('createContainer', request, options)).containerId);
  }

  async startContainer(id: ContainerId, options?: RuntimeCallOptions): Promise<void> {
    await this.#client.call('startContainer', { containerId: id }, options);
  }

  async stopContainer(id: ContainerId, graceSeconds: number, options?: RuntimeCallOptions): Promise<void> {
    const request = { containerId: id, timeout: graceSeconds };
    await ignoreMissing(this.#client.call('stopContainer', request, options));
  }

  async removeContainer(id: ContainerId, options?: RuntimeCallOptions): Promise<void> {
    await ignoreMissing(this.#client.call('removeContainer', { containerId: id }, options));
  }

  async updateContainer(
    id: ContainerId,
    resources: LinuxResources,
    options?: RuntimeCallOptions,
  ): Promise<void> {
    const request = { containerId: id, linux: toWireResources(resources) };
    await this.#client.call('updateContainerResources', request, options);
  }

  async updatePodCidr(cidr: string, options?: RuntimeCallOptions): Promise<void> {
    const request = { runtimeConfig: { networkConfig: { podCidr: cidr } } };
    await this.#client.call('updateRuntimeConfig', request, options);
  }

  async reopenContainerLog(id: ContainerId, options?: RuntimeCallOptions): Promise<void> {
    await this.#client.call('reopenContainerLog', { containerId: id }, options);
  }

  async execSync(
    id: ContainerId,
    command: readonly string[],
    timeoutSeconds: number,
    options?: RuntimeCallOptions,
  ): Promise<ExecResult> {
    const request = { containerId: id, cmd: command, timeout: timeoutSeconds };
    try {
      return await this.#client.call('execSync', request, options);
    } catch (error) {
      if (!hasCode(error, 'deadline-exceeded')) throw error;
      const text = `command timed out: "${command.join(' ')}" timed out after ${renderSeconds(timeoutSeconds)}`;
      throw new AgentError('deadline-exceeded', text, { cause: error });
    }
  }
}

/** Stop and remove succeed when there is nothing left; some runtimes answer not-found instead. */
async function ignoreMissing(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error;
  }
}

/** Whole seconds as other kubelets print a duration: `1s`, `1m30s`, `2h0m5s`. */
function renderSeconds(seconds: number): string {
  const hours = Math.trunc(seconds / 3600);
  const minutes = Math.trunc((seconds % 3600) / 60);
  const head = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : '';
  return `${head}${seconds % 60}s`;
}
