/**
 * How many devices of a resource a pod has at most at one time: init
 * containers run one after the other beside the sidecars before them, the main
 * ones beside all sidecars.
 */
import type { Container, Pod } from '../api/pod.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { requestsOf } from './device-requests.ts';

export function countPodDevices(pod: Pod, resource: string): number {
  const countOf = (container: Container): number =>
    requestsOf(container).find((request) => request.resource === resource)?.count ?? 0;
  let sidecars = 0;
  let peak = 0;
  for (const container of initContainersOf(pod)) {
    if (isSidecar(container)) sidecars += countOf(container);
    peak = Math.max(peak, sidecars + (isSidecar(container) ? 0 : countOf(container)));
  }
  const main = pod.spec.containers.reduce((sum, container) => sum + countOf(container), 0);
  return Math.max(peak, sidecars + main);
}
