/**
 * What pods have of the node's devices, processors and memory, as monitoring
 * tools ask for it. Of each pod its sidecars, then its main containers.
 */
import type { Container, Pod } from '../api/pod.ts';
import { type PodUid, toPodUid } from '../model/ids.ts';
import { sidecarsOf } from '../model/pod-containers.ts';
import { type DeviceAssignment, type DeviceMap, idsOf, NO_NUMA_NODE } from './device.ts';

/** One device. */
export interface ListedDevice {
  readonly resource: string;
  readonly id: string;
  readonly numaNodes: readonly number[];
}

export interface ListedMemory {
  /** `memory` or `hugepages-<size>`. */
  readonly type: string;
  readonly bytes: number;
  readonly numaNodes: readonly number[];
}

/** Devices of one claim. */
export interface ListedClaim {
  readonly name: string;
  readonly namespace: string;
  readonly devices: readonly {
    readonly driver: string;
    readonly pool: string;
    readonly device: string;
    readonly cdiIds: readonly string[];
    readonly shareId: string | undefined;
  }[];
}

export interface ContainerResourceList {
  readonly name: string;
  readonly devices: readonly ListedDevice[];
  /** Only those it has for itself. */
  readonly cpus: readonly number[];
  readonly memory: readonly ListedMemory[];
  readonly claims: readonly ListedClaim[];
}

export interface PodResourceList {
  readonly name: string;
  readonly namespace: string;
  readonly containers: readonly ContainerResourceList[];
}

/** What can be given at all. */
export type AllocatableList = Pick<ContainerResourceList, 'devices' | 'cpus' | 'memory'>;

/** Where the lists come from; what nothing gives out is empty. */
export interface PodResourceSources {
  readonly devicesOf: (uid: PodUid, container: string) => readonly DeviceAssignment[];
  readonly cpusOf: (uid: PodUid, container: string) => readonly number[];
  readonly memoryOf: (uid: PodUid, container: string) => readonly ListedMemory[];
  readonly claimsOf: (pod: Pod, container: Container) => readonly ListedClaim[];
}

export function toPodResourceList(pod: Pod, sources: PodResourceSources): PodResourceList {
  const uid = toPodUid(pod.metadata.uid);
  const containers = [...sidecarsOf(pod), ...pod.spec.containers].map((container) => ({
    name: container.name,
    devices: sources.devicesOf(uid, container.name).flatMap(toListedDevices),
    cpus: sources.cpusOf(uid, container.name),
    memory: sources.memoryOf(uid, container.name),
    claims: sources.claimsOf(pod, container),
  }));
  return { name: pod.metadata.name, namespace: pod.metadata.namespace, containers };
}

function toListedDevices(assignment: DeviceAssignment): ListedDevice[] {
  const { resource, ids, response } = assignment;
  if (response === undefined) return [];
  return idsOf(assignment).map((id) => {
    const nodes = [...ids].filter(([node, group]) => node !== NO_NUMA_NODE && group.includes(id));
    return { resource, id, numaNodes: nodes.map(([node]) => node) };
  });
}

/** The healthy devices of one resource. */
export function listHealthy(resource: string, devices: DeviceMap): ListedDevice[] {
  const healthy = [...devices.values()].filter(({ isHealthy }) => isHealthy);
  return healthy.map(({ id, numaNodes }) => ({ resource, id, numaNodes }));
}
