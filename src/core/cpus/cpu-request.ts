/** How many CPUs a container, or a pod, wants for itself alone. */
import type { Container, Pod } from '../api/pod.ts';
import { parseQuantity } from '../api/quantity.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { isPodLevelResource } from '../resources/pod-resources.ts';
import { computeQosClass } from '../resources/qos.ts';

const NANOS_PER_CPU = 1_000_000_000n;

/** 0 unless its pod is Guaranteed and asks container by container, and its request is a whole number. */
export function exclusiveCpus(pod: Pod, { resources }: Container): number {
  if (computeQosClass(pod) !== 'Guaranteed' || hasPodLevelResources(pod)) return 0;
  const text = resources?.requests?.['cpu'];
  const nanos = text === undefined ? 0n : parseQuantity(text).nanos;
  return nanos > 0n && nanos % NANOS_PER_CPU === 0n ? Number(nanos / NANOS_PER_CPU) : 0;
}

/** The most that is wanted at any one time: an init container runs beside the sidecars before it. */
export function exclusiveCpusOfPod(pod: Pod): number {
  let sidecars = 0;
  let peak = 0;
  for (const container of initContainersOf(pod)) {
    const own = exclusiveCpus(pod, container);
    if (isSidecar(container)) sidecars += own;
    else peak = Math.max(peak, sidecars + own);
  }
  const steady = pod.spec.containers.reduce(
    (sum, container) => sum + exclusiveCpus(pod, container),
    sidecars,
  );
  return Math.max(peak, steady);
}

/** The pod asks for resources as a whole: then its containers get nothing of their own. */
export function hasPodLevelResources({ spec }: Pod): boolean {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  return [...Object.keys(requests), ...Object.keys(limits)].some(isPodLevelResource);
}
