/**
 * The addresses in a pod status: the pod's own, read off its newest sandbox,
 * and those of its node. At most one per family, primary first, in canonical
 * text. A pod whose sandboxes have all stopped keeps the addresses it had.
 */
import type { Pod } from '../api/pod.ts';
import type { PodStatus } from '../api/pod-status.ts';
import type { ObservedPod } from '../model/observed-pod.ts';

export type PodAddresses = Pick<PodStatus, 'hostIP' | 'hostIPs' | 'podIP' | 'podIPs'>;

type Family = 4 | 6;

/** Host IPs come from the node's addresses; while those are not known what was published stays. */
export function computeAddresses(
  pod: Pod,
  observed: ObservedPod,
  old: PodStatus | undefined,
  nodeIps: readonly string[],
): PodAddresses {
  const published = { host: toTexts(old?.hostIPs, old?.hostIP), pod: toTexts(old?.podIPs, old?.podIP) };
  const known = onePerFamily(canonicalList(nodeIps));
  const host = known.length > 0 ? known : published.host;
  const own =
    pod.spec.hostNetwork === true
      ? onePerFamily([...published.pod, ...host])
      : sandboxAddresses(observed, published.pod, familyOf(host[0]) ?? 4);
  const addresses: { -readonly [K in keyof PodAddresses]: PodAddresses[K] } = {};
  if (host[0] !== undefined) {
    addresses.hostIP = host[0];
    addresses.hostIPs = host.map(toAddress);
  }
  if (own[0] !== undefined) {
    addresses.podIP = own[0];
    addresses.podIPs = own.map(toAddress);
  }
  return addresses;
}

/** Canonical text of an IP address; undefined when invalid. */
export function canonicalIp(text: string): string | undefined {
  if (!text.includes(':')) return canonicalIpv4(text);
  try {
    return fromMapped(new URL(`http://[${text}]/`).hostname.slice(1, -1));
  } catch {
    return undefined;
  }
}

function sandboxAddresses(observed: ObservedPod, published: readonly string[], primary: Family): string[] {
  const newest = observed.sandboxes[0];
  const current = newest?.ready === true ? canonicalList(newest.network?.ips ?? []) : [];
  if (current.length === 0) return observed.sandboxes.some(({ ready }) => ready) ? [] : [...published];
  const byFamily = onePerFamily(current);
  return byFamily.toSorted((a, b) => Number(familyOf(b) === primary) - Number(familyOf(a) === primary));
}

/** A single invalid address invalidates the whole list. */
function canonicalList(texts: readonly string[]): string[] {
  const addresses = texts.map(canonicalIp);
  return addresses.every((address) => address !== undefined) ? addresses : [];
}

function onePerFamily(addresses: readonly string[]): string[] {
  return addresses.filter((address, index) => {
    const family = familyOf(address);
    return addresses.findIndex((other) => familyOf(other) === family) === index;
  });
}

function familyOf(address: string | undefined): Family | undefined {
  if (address === undefined) return undefined;
  return address.includes(':') ? 6 : 4;
}

const CANONICAL_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function canonicalIpv4(text: string): string | undefined {
  if (CANONICAL_IPV4.test(text)) return text;
  const parts = text.split('.');
  const valid = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
  return valid ? parts.map(Number).join('.') : undefined;
}

/** `::ffff:a00:1` is printed as the IPv4 address it stands for. */
function fromMapped(address: string): string {
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (match === null) return address;
  const [high, low] = [Number.parseInt(match[1] ?? '', 16), Number.parseInt(match[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function toTexts(list: readonly { readonly ip: string }[] | undefined, single: string | undefined): string[] {
  if (list !== undefined && list.length > 0) return list.map(({ ip }) => ip);
  return single === undefined || single === '' ? [] : [single];
}

function toAddress(ip: string): { readonly ip: string } {
  return { ip };
}
