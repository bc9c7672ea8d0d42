/** Pods and their containers by the names a path gives. */
import type { Pod } from '../../core/api/pod.ts';
import { allContainersOf } from '../../core/model/pod-containers.ts';
import type { PodListing } from './pod-list.ts';

export function findPod(
  pods: Pick<PodListing, 'listPods'>,
  namespace: string,
  name: string,
): Pod | undefined {
  return pods.listPods().find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
}

/** Regular, init and ephemeral containers. */
export function hasContainer({ spec }: Pod, name: string): boolean {
  return findContainer(spec, name) !== undefined;
}

export function findContainer(spec: Pod['spec'], name: string): { readonly tty?: boolean } | undefined {
  return allContainersOf({ spec }).find((container) => container.name === name);
}
