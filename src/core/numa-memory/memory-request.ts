/** How much memory and huge pages a container, or a pod, asks for from NUMA nodes. */
import type { Container, Pod } from '../api/pod.ts';
import { parseQuantity, quantityToBytes } from '../api/quantity.ts';
import { hasPodLevelResources } from '../cpus/cpu-request.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { isHugePages } from '../resources/hugepages.ts';
import { computeQosClass } from '../resources/qos.ts';

/** By kind of memory, in bytes. */
export type MemoryRequests = ReadonlyMap<string, number>;

/** Only pods that are Guaranteed, and ask container by container, are given memory of certain nodes. */
export function isPinned(pod: Pod): boolean {
  return computeQosClass(pod) === 'Guaranteed' && !hasPodLevelResources(pod);
}

export function memoryRequests({ resources }: Container): MemoryRequests {
  const entries = Object.entries(resources?.requests ?? {})
    .filter(([type]) => type === 'memory' || isHugePages(type))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([type, text]) => [type, quantityToBytes(parseQuantity(text))]));
}

/** The most at any one time, of the kinds that main containers ask for. */
export function podMemoryRequests(pod: Pod): MemoryRequests {
  const steady = new Map<string, number>();
  const sidecars = new Map<string, number>();
  const peak = new Map<string, number>();
  for (const container of initContainersOf(pod))
    for (const [type, bytes] of memoryRequests(container)) {
      const beside = (sidecars.get(type) ?? 0) + bytes;
      if (isSidecar(container)) sidecars.set(type, beside);
      else peak.set(type, Math.max(peak.get(type) ?? 0, beside));
    }
  for (const container of pod.spec.containers)
    for (const [type, bytes] of memoryRequests(container)) steady.set(type, (steady.get(type) ?? 0) + bytes);
  return new Map(
    [...steady].map(([type, bytes]) => [
      type,
      Math.max(bytes + (sidecars.get(type) ?? 0), peak.get(type) ?? 0),
    ]),
  );
}
