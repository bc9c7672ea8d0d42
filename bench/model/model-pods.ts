/**
 * Sandboxes and containers of a runtime that runs nothing: what was asked for
 * is at once so. For growth and cost of a kubelet alone, without the work of a
 * real runtime beside it.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Container,
  type ContainerConfig,
  ContainerEventType,
  type ContainerFilter,
  ContainerState,
  type ContainerStatus,
  type PodSandbox,
  type PodSandboxConfig,
  type PodSandboxFilter,
  PodSandboxState,
  type PodSandboxStatus,
} from '../../src/gen/cri.ts';

export const IMAGE = 'localhost/busybox:1';
export const IMAGE_ID = `sha256:${'5'.repeat(64)}`;

interface ModelSandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly createdAt: number;
  readonly ip: string;
  state: PodSandboxState;
}

interface ModelContainer {
  readonly id: string;
  readonly sandbox: ModelSandbox;
  readonly config: ContainerConfig;
  readonly createdAt: number;
  state: ContainerState;
  startedAt: number;
  finishedAt: number;
}

export type OnEvent = (
  containerId: string,
  type: ContainerEventType,
  sandbox: PodSandboxStatus,
  containers: ContainerStatus[],
) => void;

export interface ModelPodsSettings {
  readonly makeLog?: (path: string) => void;
  /** Wall time in milliseconds. */
  readonly now?: () => number;
}

const newId = (): string => randomBytes(32).toString('hex');
const NANOS_PER_MS = 1e6;

export class ModelPods {
  readonly #sandboxes = new Map<string, ModelSandbox>();
  readonly #containers = new Map<string, ModelContainer>();
  readonly #onEvent: OnEvent;
  readonly #makeLog: (path: string) => void;
  readonly #now: () => number;
  #addresses = 0;

  /** As a runtime does, it makes a log for each container that starts: a kubelet asks for one that is not there. */
  constructor(onEvent: OnEvent, { makeLog = makeLogFile, now = Date.now }: ModelPodsSettings = {}) {
    this.#onEvent = onEvent;
    this.#makeLog = makeLog;
    this.#now = now;
  }

  runSandbox(config: PodSandboxConfig): string {
    const n = ++this.#addresses;
    const ip = `10.250.${(n >> 8) & 255}.${n & 255}`;
    const sandbox = {
      id: newId(),
      config,
      createdAt: this.#nowNs(),
      ip,
      state: PodSandboxState.SANDBOX_READY,
    };
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#announce(sandbox, sandbox.id, ContainerEventType.CONTAINER_CREATED_EVENT);
    this.#announce(sandbox, sandbox.id, ContainerEventType.CONTAINER_STARTED_EVENT);
    return sandbox.id;
  }

  stopSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined || sandbox.state === PodSandboxState.SANDBOX_NOTREADY) return;
    for (const container of this.#of(sandbox)) this.stopContainer(container.id);
    sandbox.state = PodSandboxState.SANDBOX_NOTREADY;
    this.#announce(sandbox, id, ContainerEventType.CONTAINER_STOPPED_EVENT);
  }

  removeSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    for (const container of this.#of(sandbox)) this.removeContainer(container.id);
    this.#sandboxes.delete(id);
    this.#announce(sandbox, id, ContainerEventType.CONTAINER_DELETED_EVENT);
  }

  createContainer(sandboxId: string, config: ContainerConfig): string {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) throw new Error(`no sandbox "${sandboxId}"`);
    const state = ContainerState.CONTAINER_CREATED;
    const container = {
      id: newId(),
      sandbox,
      config,
      createdAt: this.#nowNs(),
      state,
      startedAt: 0,
      finishedAt: 0,
    };
    this.#containers.set(container.id, container);
    this.#announce(sandbox, container.id, ContainerEventType.CONTAINER_CREATED_EVENT);
    return container.id;
  }

  startContainer(id: string): void {
    const container = this.#container(id);
    container.state = ContainerState.CONTAINER_RUNNING;
    container.startedAt = this.#nowNs();
    this.#makeLog(logPathOf(container));
    this.#announce(container.sandbox, id, ContainerEventType.CONTAINER_STARTED_EVENT);
  }

  stopContainer(id: string): void {
    const container = this.#containers.get(id);
    if (container?.state !== ContainerState.CONTAINER_RUNNING) return;
    container.state = ContainerState.CONTAINER_EXITED;
    container.finishedAt = this.#nowNs();
    this.#announce(container.sandbox, id, ContainerEventType.CONTAINER_STOPPED_EVENT);
  }

  removeContainer(id: string): void {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    this.#containers.delete(id);
    this.#announce(container.sandbox, id, ContainerEventType.CONTAINER_DELETED_EVENT);
  }

  listSandboxes(filter: PodSandboxFilter | undefined): PodSandbox[] {
    const found = filter?.id ? [this.#sandboxes.get(filter.id)] : this.#sandboxes.values();
    return [...found]
      .filter((sandbox) => sandbox !== undefined)
      .filter(({ config, state }) => hasLabels(config.labels, filter) && isIn(state, filter))
      .map(({ id, config, state, createdAt }) => {
        const { metadata, labels, annotations } = config;
        return { id, metadata, state, createdAt, labels, annotations, runtimeHandler: '' };
      });
  }

  listContainers(filter: ContainerFilter | undefined): Container[] {
    const found = filter?.id ? [this.#containers.get(filter.id)] : this.#containers.values();
    return [...found]
      .filter((container) => container !== undefined)
      .filter(({ sandbox }) => !filter?.podSandboxId || sandbox.id === filter.podSandboxId)
      .filter(({ config, state }) => hasLabels(config.labels, filter) && isIn(state, filter))
      .map(({ id, sandbox, config, state, createdAt }) => {
        const { metadata, labels, annotations, image } = config;
        const imageRef = IMAGE_ID;
        const imageId = IMAGE_ID;
        const podSandboxId = sandbox.id;
        return {
          id,
          podSandboxId,
          metadata,
          image,
          imageRef,
          state,
          createdAt,
          labels,
          annotations,
          imageId,
        };
      });
  }

  /** Throws when there is none. */
  sandboxStatus(id: string): PodSandboxStatus {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) throw new Error(`no sandbox "${id}"`);
    return toSandboxStatus(sandbox);
  }

  /** Throws when there is none. */
  containerStatus(id: string): ContainerStatus {
    return toContainerStatus(this.#container(id));
  }

  #nowNs(): number {
    return this.#now() * NANOS_PER_MS;
  }

  #container(id: string): ModelContainer {
    const container = this.#containers.get(id);
    if (container === undefined) throw new Error(`no container "${id}"`);
    return container;
  }

  #of(sandbox: ModelSandbox): ModelContainer[] {
    return [...this.#containers.values()].filter((each) => each.sandbox === sandbox);
  }

  #announce(sandbox: ModelSandbox, id: string, type: ContainerEventType): void {
    this.#onEvent(id, type, toSandboxStatus(sandbox), this.#of(sandbox).map(toContainerStatus));
  }
}

function makeLogFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, '');
}

function hasLabels(
  labels: Readonly<Record<string, string>>,
  filter: { readonly labelSelector: Readonly<Record<string, string>> } | undefined,
): boolean {
  return Object.entries(filter?.labelSelector ?? {}).every(([key, value]) => labels[key] === value);
}

function isIn(state: number, filter: { readonly state: { state: number } | undefined } | undefined): boolean {
  return filter?.state === undefined || filter.state.state === state;
}

function toSandboxStatus({ id, config, state, createdAt, ip }: ModelSandbox): PodSandboxStatus {
  const { metadata, labels, annotations } = config;
  const network = { ip, additionalIps: [] };
  const linux = { namespaces: undefined };
  return { id, metadata, state, createdAt, network, linux, labels, annotations, runtimeHandler: '' };
}

function logPathOf({ sandbox, config }: ModelContainer): string {
  return `${sandbox.config.logDirectory}/${config.logPath}`;
}

function toContainerStatus(container: ModelContainer): ContainerStatus {
  const { id, config, state, createdAt, startedAt, finishedAt } = container;
  const { metadata, labels, annotations, image, mounts } = config;
  return {
    id,
    metadata,
    state,
    createdAt,
    startedAt,
    finishedAt,
    exitCode: 0,
    image,
    imageRef: IMAGE_ID,
    reason: state === ContainerState.CONTAINER_EXITED ? 'Completed' : '',
    message: '',
    labels,
    annotations,
    mounts,
    logPath: logPathOf(container),
    resources: undefined,
    imageId: IMAGE_ID,
    user: undefined,
    stopSignal: 0,
  };
}
