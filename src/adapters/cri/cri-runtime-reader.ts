/**
 * The port RuntimeReader on the runtime interface. Remembers only which
 * sandbox a container belongs to, learned from lists, because a container's
 * status does not say; a full list forgets the rest.
 */
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import { POD_UID_LABEL } from '../../core/model/container-labels.ts';
import { type ContainerId, type PodUid, type SandboxId, toSandboxId } from '../../core/model/ids.ts';
import type { ObservedContainer, ObservedSandbox } from '../../core/model/observed-pod.ts';
import { CgroupDriver, type Container, type PodSandbox } from '../../gen/cri.ts';
import type {
  RuntimeCallOptions,
  RuntimeEvent,
  RuntimeReader,
  RuntimeStatus,
  RuntimeVersion,
  UsedImage,
} from '../../ports/runtime/container-runtime.ts';
import type { CriClient } from './cri-client.ts';
import {
  fromWireContainer,
  fromWireContainerStatus,
  fromWireEvent,
  fromWireNetwork,
  fromWireSandbox,
  fromWireStatus,
  toUsedImage,
} from './from-wire.ts';
import type { ListCaller, ListVariants } from './list-caller.ts';
import { isOwnedByAnother, toOwnerLabels } from './pod-owner.ts';

const API_VERSION = '0.1.0';

const SANDBOXES: ListVariants<'listPodSandbox', 'streamPodSandboxes', PodSandbox> = {
  unary: 'listPodSandbox',
  itemsOf: (response) => response.items,
  streamed: 'streamPodSandboxes',
  itemsOfMessage: (message) => message.podSandboxes,
};

const CONTAINERS: ListVariants<'listContainers', 'streamContainers', Container> = {
  unary: 'listContainers',
  itemsOf: (response) => response.containers,
  streamed: 'streamContainers',
  itemsOfMessage: (message) => message.containers,
};

export class CriRuntimeReader implements RuntimeReader {
  readonly #client: CriClient;
  readonly #lists: ListCaller;
  readonly #podOwner: string | undefined;
  #sandboxOf = new Map<ContainerId, SandboxId>();

  /** With an owner only its pods exist, except for the images that are in use. */
  constructor(client: CriClient, lists: ListCaller, podOwner?: string) {
    this.#client = client;
    this.#lists = lists;
    this.#podOwner = podOwner;
  }

  async version(options?: RuntimeCallOptions): Promise<RuntimeVersion> {
    const response = await this.#client.call('version', { version: API_VERSION }, options);
    if (response.version !== API_VERSION)
      throw new AgentError('failed-precondition', 'runtime api version is not supported');
    const { runtimeName, runtimeVersion, runtimeApiVersion } = response;
    return { runtimeName, runtimeVersion, runtimeApiVersion };
  }

  async status(options?: RuntimeCallOptions): Promise<RuntimeStatus> {
    return fromWireStatus(await this.#client.call('status', {}, options));
  }

  async cgroupDriver(options?: RuntimeCallOptions): Promise<'systemd' | 'cgroupfs' | undefined> {
    try {
      const { linux } = await this.#client.call('runtimeConfig', {}, options);
      // The zero value is systemd: only a present message is an answer.
      if (linux === undefined) return undefined;
      if (linux.cgroupDriver === CgroupDriver.SYSTEMD) return 'systemd';
      if (linux.cgroupDriver === CgroupDriver.CGROUPFS) return 'cgroupfs';
      const text = `runtime returned an unknown cgroup driver ${linux.cgroupDriver}`;
      throw new AgentError('failed-precondition', text);
    } catch (error) {
      if (hasCode(error, 'unimplemented')) return undefined;
      throw error;
    }
  }

  async listSandboxes(podUid?: PodUid, options: RuntimeCallOptions = {}): Promise<ObservedSandbox[]> {
    const items = await this.#lists.list(SANDBOXES, { filter: this.#toFilter(podUid) }, options);
    return items.map(fromWireSandbox).filter((sandbox) => sandbox !== undefined);
  }

  async listContainers(podUid?: PodUid, options: RuntimeCallOptions = {}): Promise<ObservedContainer[]> {
    const items = await this.#lists.list(CONTAINERS, { filter: this.#toFilter(podUid) }, options);
    const containers = items.map(fromWireContainer).filter((container) => container !== undefined);
    if (podUid === undefined) this.#sandboxOf = new Map();
    for (const { id, sandboxId } of containers) this.#sandboxOf.set(id, sandboxId);
    return containers;
  }

  async listUsedImages(options: RuntimeCallOptions = {}): Promise<UsedImage[]> {
    return (await this.#lists.list(CONTAINERS, { filter: {} }, options)).map(toUsedImage);
  }

  async sandboxStatus(id: SandboxId, options?: RuntimeCallOptions): Promise<ObservedSandbox | undefined> {
    const request = { podSandboxId: id };
    const response = await unlessMissing(this.#client.call('podSandboxStatus', request, options));
    if (response?.status === undefined) return undefined;
    const sandbox = fromWireSandbox(response.status);
    return sandbox && { ...sandbox, network: fromWireNetwork(response.status) };
  }

  async containerStatus(
    id: ContainerId,
    options?: RuntimeCallOptions,
  ): Promise<ObservedContainer | undefined> {
    const response = await unlessMissing(this.#client.call('containerStatus', { containerId: id }, options));
    const sandboxId = response?.status && (await this.#findSandbox(id, options));
    if (response?.status === undefined || sandboxId === undefined) {
      this.#sandboxOf.delete(id);
      return undefined;
    }
    return fromWireContainerStatus(response.status, sandboxId);
  }

  async watchEvents(
    onEvent: (event: RuntimeEvent) => void,
    options: { readonly signal: AbortSignal; readonly onOpen?: () => void },
  ): Promise<void> {
    const { signal, onOpen } = options;
    const ended = new AbortController();
    try {
      await this.#client.stream(
        'getContainerEvents',
        {},
        (message) => {
          const event = fromWireEvent(message);
          const isForeign = isOwnedByAnother(message.podSandboxStatus?.labels, this.#podOwner);
          if (event !== undefined && !isForeign) onEvent(event);
        },
        {
          signal,
          label: 'event stream',
          onSent: () => void this.#confirmOpen(AbortSignal.any([signal, ended.signal]), onOpen),
        },
      );
    } catch (error) {
      if (signal.aborted) return;
      if (hasCode(error, 'unimplemented')) throw error;
      throw new AgentError('unavailable', `cannot watch runtime events: ${errorText(error)}`, {
        cause: error,
      });
    } finally {
      ended.abort();
    }
    if (!signal.aborted) throw new AgentError('unavailable', 'cannot watch runtime events: the stream ended');
  }

  /**
   * A runtime sends nothing before the first event. An answer to a later
   * call on the same connection shows that the stream was accepted; without
   * one there is no `onOpen`, and the stream itself reports what went wrong.
   */
  async #confirmOpen(signal: AbortSignal, onOpen: (() => void) | undefined): Promise<void> {
    try {
      await this.version({ signal, label: 'event stream' });
    } catch {
      return;
    }
    if (!signal.aborted) onOpen?.();
  }

  #toFilter(podUid: PodUid | undefined): { labelSelector?: Record<string, string> } {
    const ofPod: Record<string, string> = podUid === undefined ? {} : { [POD_UID_LABEL]: podUid };
    const labelSelector = { ...ofPod, ...toOwnerLabels(this.#podOwner) };
    return Object.keys(labelSelector).length === 0 ? {} : { labelSelector };
  }

  async #findSandbox(id: ContainerId, options?: RuntimeCallOptions): Promise<SandboxId | undefined> {
    const known = this.#sandboxOf.get(id);
    if (known !== undefined) return known;
    const { containers } = await this.#client.call('listContainers', { filter: { id } }, options);
    const found = containers.find((container) => container.id === id);
    if (found === undefined) return undefined;
    const sandboxId = toSandboxId(found.podSandboxId);
    this.#sandboxOf.set(id, sandboxId);
    return sandboxId;
  }
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined;
    throw error;
  }
}
