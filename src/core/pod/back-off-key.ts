/**
 * The key under which restarts of one container are counted, also across
 * restarts of the agent. It holds image and resources so that a changed
 * container starts without back-off.
 */

import { fnv1a64 } from '../../base/text/fnv.ts';
import type { Container, Pod, ResourceList } from '../api/pod.ts';
import { quantityToMilli, tryParseQuantity } from '../api/quantity.ts';

/** Lower-case hex; equal for equal definitions whatever the order of their keys and the form of their amounts. */
export function computeBackOffKey(pod: Pod, container: Container): string {
  const { name, namespace, uid } = pod.metadata;
  return fnv1a64(
    [name, namespace, uid, container.name, container.image ?? '', resourcesText(container)].join('/'),
  );
}

function resourcesText({ resources }: Container): string {
  const claims = (resources?.claims ?? []).map((claim) => `${claim.name}:${claim.request ?? ''}`);
  return `limits(${listText(resources?.limits)})requests(${listText(resources?.requests)})claims(${claims.join()})`;
}

function listText(list: ResourceList | undefined): string {
  return Object.entries(list ?? {})
    .map(([name, amount]) => `${name}=${amountText(String(amount))}`)
    .sort()
    .join();
}

/** What was granted before a restart comes back from the checkpoint in canonical form: 1000m as 1. */
function amountText(amount: string): string {
  const quantity = tryParseQuantity(amount);
  return quantity === undefined ? amount : `${quantityToMilli(quantity)}m`;
}
