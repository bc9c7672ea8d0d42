/** Pods and their containers by the names a path gives. */
import type { Pod } from '../../core/api/pod.ts';
import { allContainersOf } from '../../core/model/pod-containers.ts';
import type { PodListing } from './pod-list.ts';

/**
 * The one with `uid`, if given. Else the newest that is not being deleted: after an edit of its manifest the old
 * static pod is listed under the same name until it is gone.
 */
export function findPod(
  pods: Pick<PodListing, 'listPods'>,
  namespace: string,
  name: string,
  uid?: string | null,
): Pod | undefined {
  const named = pods
    .listPods()
    .filter(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return (
    named.find(({ metadata }) => metadata.uid === uid) ??
    named.findLast(({ metadata }) => metadata.deletionTimestamp === undefined) ??
    named.at(-1)
  );
}

/** Regular, init and ephemeral containers. */
export function hasContainer({ spec }: Pod, name: string): boolean {
  return findContainer(spec, name) !== undefined;
}

export function findContainer(spec: Pod['spec'], name: string): { readonly tty?: boolean } | undefined {
  return allContainersOf({ spec }).find((container) => container.name === name);
}
