/**
 * Which devices a pod asks for: extended resources in the limits of its
 * containers, in the order in which containers are given theirs.
 */
import type { Container, Pod } from '../api/pod.ts';
import { quantityToBytes, tryParseQuantity } from '../api/quantity.ts';
import { containersOf } from '../model/pod-containers.ts';
import { isExtendedResource } from '../node-status/node-resources.ts';

export interface DeviceRequest {
  readonly resource: string;
  readonly count: number;
}

/** Of one container, by name; those that no plugin may be behind are among them. */
export function requestsOf({ resources }: Pick<Container, 'resources'>): DeviceRequest[] {
  return Object.entries(resources?.limits ?? {})
    .filter(([name]) => isExtendedResource(name))
    .map(([resource, text]) => ({ resource, count: toCount(text) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

/** Names of all the extended resources that the pod asks for. */
export function resourcesOf(pod: Pod): Set<string> {
  return new Set(containersOf(pod).flatMap((one) => requestsOf(one).map(({ resource }) => resource)));
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
/** With the prefix `requests.`, which quotas put before it, it must still be a name. */
const MAX_DOMAIN = 253 - 'requests.'.length;

/** Whether a plugin may offer a resource of this name. */
export function isDeviceResourceName(name: string): boolean {
  const [domain = '', rest = '', ...more] = name.split('/');
  if (more.length > 0 || !isExtendedResource(name)) return false;
  return domain.length <= MAX_DOMAIN && DOMAIN.test(domain) && NAME.test(rest);
}

function toCount(text: string): number {
  const quantity = tryParseQuantity(text);
  return quantity === undefined ? 0 : quantityToBytes(quantity);
}
