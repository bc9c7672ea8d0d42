/** Runtime interface messages in our words. Pure. Zero values that mean "not set" become absent. */
import { isIP } from 'node:net';
import { CONTAINER_NAME_LABEL, POD_UID_LABEL } from '../../core/model/container-labels.ts';
import {
  type PodUid,
  parsePodUid,
  type SandboxId,
  toContainerId,
  toSandboxId,
} from '../../core/model/ids.ts';
import type {
  ContainerDetails,
  LinuxResources,
  ObservedContainer,
  ObservedContainerState,
  ObservedSandbox,
  SandboxNetwork,
} from '../../core/model/observed-pod.ts';
import * as wire from '../../gen/cri.ts';
import type { RuntimeEvent, RuntimeStatus, UsedImage } from '../../ports/runtime/container-runtime.ts';
import type { ImageFsUsage, ImageInfo } from '../../ports/runtime/image-service.ts';

const NANOS_PER_MS = 1e6;

const STATES: Readonly<Record<number, ObservedContainerState>> = {
  [wire.ContainerState.CONTAINER_CREATED]: 'created',
  [wire.ContainerState.CONTAINER_RUNNING]: 'running',
  [wire.ContainerState.CONTAINER_EXITED]: 'exited',
};

const EVENT_KINDS: Readonly<Record<number, RuntimeEvent['kind']>> = {
  [wire.ContainerEventType.CONTAINER_CREATED_EVENT]: 'created',
  [wire.ContainerEventType.CONTAINER_STARTED_EVENT]: 'started',
  [wire.ContainerEventType.CONTAINER_STOPPED_EVENT]: 'stopped',
  [wire.ContainerEventType.CONTAINER_DELETED_EVENT]: 'deleted',
};

const SIGNAL_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(wire.Signal).map(([name, ordinal]) => [
    ordinal,
    name.replace('PLUS', '+').replace('MINUS', '-'),
  ]),
);

/** A list entry or status, without `network`; undefined when it does not say which pod it is, or names none that can be. */
export function fromWireSandbox(
  sandbox: wire.PodSandbox | wire.PodSandboxStatus,
): ObservedSandbox | undefined {
  const { metadata } = sandbox;
  const podUid = parsePodUid(metadata?.uid ?? '');
  if (metadata === undefined || podUid === undefined) return undefined;
  return {
    id: toSandboxId(sandbox.id),
    podUid,
    podName: metadata.name,
    podNamespace: metadata.namespace,
    attempt: metadata.attempt,
    ready: sandbox.state === wire.PodSandboxState.SANDBOX_READY,
    createdAtMs: sandbox.createdAt / NANOS_PER_MS,
    labels: sandbox.labels,
    annotations: sandbox.annotations,
    runtimeHandler: sandbox.runtimeHandler,
  };
}

/** A single invalid address invalidates the whole list. */
export function fromWireNetwork(status: wire.PodSandboxStatus): SandboxNetwork {
  const mode = status.linux?.namespaces?.options?.network === wire.NamespaceMode.NODE ? 'node' : 'pod';
  const { network } = status;
  const all = network === undefined ? [] : [network.ip, ...network.additionalIps.map((entry) => entry.ip)];
  const given = all[0] === '' ? all.slice(1) : all;
  const usable = mode === 'pod' && given.every((ip) => isIP(ip) !== 0);
  return { mode, reported: network !== undefined, ips: usable ? given : [] };
}

/** A list entry, without `details`; undefined when it has no name or is no pod's. */
export function fromWireContainer(container: wire.Container): ObservedContainer | undefined {
  const podUid = parsePodUid(container.labels[POD_UID_LABEL] ?? '');
  if (container.metadata === undefined || podUid === undefined) return undefined;
  return {
    ...toContainerFacts(container, podUid),
    sandboxId: toSandboxId(container.podSandboxId),
    name: container.metadata.name,
  };
}

/** A status with `details`; undefined when it is no pod's. The message does not name the sandbox: the caller does. */
export function fromWireContainerStatus(
  status: wire.ContainerStatus,
  sandboxId: SandboxId,
): ObservedContainer | undefined {
  const podUid = parsePodUid(status.labels[POD_UID_LABEL] ?? '');
  if (podUid === undefined) return undefined;
  return {
    ...toContainerFacts(status, podUid),
    sandboxId,
    name: status.labels[CONTAINER_NAME_LABEL] ?? status.metadata?.name ?? '',
    details: toDetails(status),
  };
}

export function toUsedImage({ image, imageId, imageRef }: wire.Container | wire.ContainerStatus): UsedImage {
  return { image: image?.image ?? '', imageId: imageId || imageRef };
}

function toContainerFacts(
  container: wire.Container | wire.ContainerStatus,
  podUid: PodUid,
): Omit<ObservedContainer, 'sandboxId' | 'name'> {
  return {
    id: toContainerId(container.id),
    podUid,
    state: STATES[container.state] ?? 'unknown',
    createdAtMs: container.createdAt / NANOS_PER_MS,
    ...toUsedImage(container),
    labels: container.labels,
    annotations: container.annotations,
  };
}

function toDetails(status: wire.ContainerStatus): ContainerDetails {
  const started = status.state !== wire.ContainerState.CONTAINER_CREATED && status.startedAt !== 0;
  const exited = status.state === wire.ContainerState.CONTAINER_EXITED;
  const user = status.user?.linux;
  const stopSignal = status.stopSignal === 0 ? undefined : SIGNAL_NAMES[status.stopSignal];
  const resources = status.resources?.linux;
  return {
    ...(started ? { startedAtMs: status.startedAt / NANOS_PER_MS } : {}),
    ...(exited && status.finishedAt !== 0 ? { finishedAtMs: status.finishedAt / NANOS_PER_MS } : {}),
    ...(exited ? { exitCode: status.exitCode } : {}),
    reason: exited ? status.reason : '',
    message: exited ? status.message : '',
    logPath: status.logPath,
    mounts: status.mounts.map((mount) => ({
      containerPath: mount.containerPath,
      hostPath: mount.hostPath,
      readOnly: mount.readonly,
    })),
    ...(user === undefined ? {} : { user }),
    ...(stopSignal === undefined ? {} : { stopSignal }),
    ...(resources === undefined ? {} : { resources: fromWireResources(resources) }),
  };
}

function fromWireResources(resources: wire.LinuxContainerResources): LinuxResources {
  const { memoryLimitInBytes, memorySwapLimitInBytes, hugepageLimits, unified, ...same } = resources;
  const limits = hugepageLimits.map(({ pageSize, limit }) => ({ pageSize, limitBytes: limit }));
  return {
    ...omitZero({
      ...same,
      memoryLimitBytes: memoryLimitInBytes,
      memorySwapLimitBytes: memorySwapLimitInBytes,
    }),
    ...(limits.length === 0 ? {} : { hugepageLimits: limits }),
    ...(Object.keys(unified).length === 0 ? {} : { unified }),
  };
}

function omitZero<T extends Readonly<Record<string, number | string>>>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== 0 && value !== ''),
  ) as Partial<T>;
}

export function fromWireStatus(response: wire.StatusResponse): RuntimeStatus {
  return {
    conditions: response.status?.conditions ?? [],
    handlers: response.runtimeHandlers.map(({ name, features }) => ({
      name,
      recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
      userNamespaces: features?.userNamespaces ?? false,
    })),
    features: {
      supplementalGroupsPolicy: response.features?.supplementalGroupsPolicy ?? false,
      userNamespacesHostNetwork: response.features?.userNamespacesHostNetwork ?? false,
    },
  };
}

/** Undefined for a kind of event we do not know. */
export function fromWireEvent(event: wire.ContainerEventResponse): RuntimeEvent | undefined {
  const kind = EVENT_KINDS[event.containerEventType];
  if (kind === undefined) return undefined;
  const podUid = parsePodUid(event.podSandboxStatus?.metadata?.uid ?? '');
  return { kind, id: event.containerId, ...(podUid === undefined ? {} : { podUid }) };
}

export function fromWireImage(image: wire.Image): ImageInfo {
  return {
    id: image.id,
    repoTags: image.repoTags,
    repoDigests: image.repoDigests,
    sizeBytes: image.size,
    ...(image.uid === undefined ? {} : { uid: image.uid.value }),
    ...(image.username === '' ? {} : { username: image.username }),
    pinned: image.pinned,
  };
}

export function fromWireFilesystem(usage: wire.FilesystemUsage): ImageFsUsage {
  return {
    mountpoint: usage.fsId?.mountpoint ?? '',
    usedBytes: usage.usedBytes?.value ?? 0,
    inodesUsed: usage.inodesUsed?.value ?? 0,
    timestampMs: usage.timestamp / NANOS_PER_MS,
  };
}
