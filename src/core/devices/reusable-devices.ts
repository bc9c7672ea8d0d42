/**
 * Which devices of a pod a container may take over: those of init containers
 * that have ended by the time it starts. What a sidecar or a main container
 * has stays with it.
 */
import type { Container } from '../api/pod.ts';
import type { PodUid } from '../model/ids.ts';
import { isSidecar } from '../model/pod-containers.ts';
import { idsOf } from './device.ts';
import type { DeviceLedger } from './device-ledger.ts';

/** `before` are the containers that were given theirs already, in order; `init` says which of all are init containers. */
export function findReusable(
  ledger: DeviceLedger,
  uid: PodUid,
  resource: string,
  before: readonly Container[],
  initNames: ReadonlySet<string>,
): Set<string> {
  const reusable = new Set<string>();
  for (const container of before) {
    const assignment = ledger.get(uid, container.name, resource);
    if (assignment === undefined) continue;
    const ends = initNames.has(container.name) && !isSidecar(container);
    for (const id of idsOf(assignment))
      if (ends) reusable.add(id);
      else reusable.delete(id);
  }
  return reusable;
}
