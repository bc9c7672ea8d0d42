/** What pods have of devices, processors and memory, put together from those who give it out. */
import type { Pod } from '../../core/api/pod.ts';
import type { DeviceLedger } from '../../core/devices/device-ledger.ts';
import {
  type AllocatableList,
  type ListedMemory,
  listHealthy,
  type PodResourceList,
  type PodResourceSources,
  toPodResourceList,
} from '../../core/devices/pod-resources.ts';
import type { PodResourceReader } from '../../ports/devices/pod-resource-reader.ts';
import type { DeviceResources } from './device-resources.ts';

/** Who gives out processors and memory. */
export interface ComputeView extends Pick<PodResourceSources, 'cpusOf' | 'memoryOf'> {
  /** Processors that containers can have for themselves. */
  allocatableCpus(): readonly number[];
  allocatableMemory(): readonly ListedMemory[];
}

export interface PodResourceViewParts {
  readonly activePods: () => readonly Pod[];
  readonly findPod: (namespace: string, name: string) => Pod | undefined;
  readonly resources: Pick<DeviceResources, 'names' | 'devices'>;
  readonly ledger: Pick<DeviceLedger, 'ofContainer'>;
  readonly claimsOf: PodResourceSources['claimsOf'];
  readonly compute: ComputeView;
}

export class PodResourceView implements PodResourceReader {
  readonly #parts: PodResourceViewParts;
  readonly #sources: PodResourceSources;

  constructor(parts: PodResourceViewParts) {
    this.#parts = parts;
    const { ledger, compute, claimsOf } = parts;
    this.#sources = {
      devicesOf: (uid, container) => ledger.ofContainer(uid, container),
      cpusOf: (uid, container) => compute.cpusOf(uid, container),
      memoryOf: (uid, container) => compute.memoryOf(uid, container),
      claimsOf,
    };
  }

  list(): PodResourceList[] {
    return this.#parts.activePods().map((pod) => toPodResourceList(pod, this.#sources));
  }

  find(namespace: string, name: string): PodResourceList | undefined {
    const pod = this.#parts.findPod(namespace, name);
    return pod === undefined ? undefined : toPodResourceList(pod, this.#sources);
  }

  allocatable(): AllocatableList {
    const { resources, compute } = this.#parts;
    return {
      devices: resources.names().flatMap((name) => listHealthy(name, resources.devices(name) ?? new Map())),
      cpus: compute.allocatableCpus(),
      memory: compute.allocatableMemory(),
    };
  }
}
