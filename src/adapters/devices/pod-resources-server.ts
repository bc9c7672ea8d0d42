/**
 * The PodResources service on a unix socket: `v1` and the part of it that
 * `v1alpha1` had. All calls share one rate; what comes too fast is refused.
 */
import type { Clock } from '../../base/async/clock.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type {
  ContainerResourceList,
  ListedClaim,
  PodResourceList,
} from '../../core/devices/pod-resources.ts';
import {
  type ContainerDevices,
  type ContainerMemory,
  type DynamicResource,
  decodeGetPodResourcesRequest,
  encodeAllocatableResourcesResponse,
  encodeGetPodResourcesResponse,
  encodeListPodResourcesResponse,
  type PodResources,
} from '../../gen/podresources.ts';
import type { Init } from '../../gen/wire.ts';
import type { PodResourceReader } from '../../ports/devices/pod-resource-reader.ts';
import { admitAtRate } from '../grpc/admit-at-rate.ts';
import { GrpcServer, type UnaryHandler } from '../grpc/grpc-server.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';

const CALL_TIMEOUT_MS = 10_000;
const MAX_REQUEST_BYTES = 64 * 1024;
const DIRECTORY_MODE = 0o700;

export type PodResourceCall = 'list' | 'get' | 'get_allocatable';

/** Counts calls; implementations only count. */
export interface PodResourceMeter {
  asked(version: 'v1' | 'v1alpha1', call: PodResourceCall): void;
  failed(version: 'v1' | 'v1alpha1', call: PodResourceCall): void;
}

export interface PodResourcesServerParts {
  /** `<root>/pod-resources/kubelet.sock`. */
  readonly path: string;
  readonly reader: PodResourceReader;
  readonly meter: PodResourceMeter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Serves until `stop` aborts; rejects with AgentError when it cannot. */
export async function servePodResources(parts: PodResourcesServerParts, stop: AbortSignal): Promise<void> {
  const { clock, logger, path } = parts;
  const server = new GrpcServer({
    clock,
    logger,
    methods: toMethods(parts),
    admit: admitAtRate(clock),
    callTimeoutMs: CALL_TIMEOUT_MS,
    maxReceiveBytes: MAX_REQUEST_BYTES,
  });
  await server.listen(path, DIRECTORY_MODE, (error) =>
    logger.warn('PodResources server reported an error', { err: errorText(error) }),
  );
  await whenAborted(stop);
  await server.close();
}

function toMethods({ reader, meter }: PodResourcesServerParts): Map<string, UnaryHandler> {
  const list =
    (version: 'v1' | 'v1alpha1'): UnaryHandler =>
    () => {
      meter.asked(version, 'list');
      const toWire = version === 'v1' ? toPodResources : toEarlyPodResources;
      return encodeListPodResourcesResponse({ podResources: reader.list().map(toWire) });
    };
  const allocatable: UnaryHandler = () => {
    meter.asked('v1', 'get_allocatable');
    const { devices, cpus, memory } = reader.allocatable();
    return encodeAllocatableResourcesResponse({ ...toCompute({ devices, cpus, memory }) });
  };
  const get: UnaryHandler = (body) => {
    meter.asked('v1', 'get');
    const { podName, podNamespace } = decodeGetPodResourcesRequest(body);
    const found = reader.find(podNamespace, podName);
    if (found !== undefined) return encodeGetPodResourcesResponse({ podResources: toPodResources(found) });
    meter.failed('v1', 'get');
    throw new GrpcError(GrpcCode.UNKNOWN, `pod ${podName} in namespace ${podNamespace} not found`);
  };
  return new Map([
    ['/v1.PodResourcesLister/List', list('v1')],
    ['/v1.PodResourcesLister/GetAllocatableResources', allocatable],
    ['/v1.PodResourcesLister/Get', get],
    ['/v1alpha1.PodResourcesLister/List', list('v1alpha1')],
  ]);
}

function toPodResources({ name, namespace, containers }: PodResourceList): Init<PodResources> {
  return {
    name,
    namespace,
    containers: containers.map((container) => ({
      name: container.name,
      ...toCompute(container),
      dynamicResources: container.claims.map(toDynamicResource),
    })),
  };
}

/** Devices by resource, without their place. */
function toEarlyPodResources({ name, namespace, containers }: PodResourceList): Init<PodResources> {
  return {
    name,
    namespace,
    containers: containers.map((container) => ({
      name: container.name,
      devices: [...Map.groupBy(container.devices, ({ resource }) => resource)].map(
        ([resourceName, devices]) => ({
          resourceName,
          deviceIds: devices.map(({ id }) => id),
        }),
      ),
    })),
  };
}

function toCompute({ devices, cpus, memory }: Pick<ContainerResourceList, 'devices' | 'cpus' | 'memory'>): {
  readonly devices: Init<ContainerDevices>[];
  readonly cpuIds: readonly number[];
  readonly memory: Init<ContainerMemory>[];
} {
  return {
    devices: devices.map(({ resource, id, numaNodes }) => ({
      resourceName: resource,
      deviceIds: [id],
      topology: toTopology(numaNodes),
    })),
    cpuIds: cpus,
    memory: memory.map(({ type, bytes, numaNodes }) => ({
      memoryType: type,
      size: bytes,
      topology: toTopology(numaNodes),
    })),
  };
}

function toTopology(numaNodes: readonly number[]): { readonly nodes: readonly { readonly ID: number }[] } {
  return { nodes: numaNodes.map((ID) => ({ ID })) };
}

function toDynamicResource({ name, namespace, devices }: ListedClaim): Init<DynamicResource> {
  return {
    claimName: name,
    claimNamespace: namespace,
    claimResources: devices.map(({ driver, pool, device, cdiIds, shareId }) => ({
      cdiDevices: cdiIds.map((cdi) => ({ name: cdi })),
      driverName: driver,
      poolName: pool,
      deviceName: device,
      shareId,
    })),
  };
}
