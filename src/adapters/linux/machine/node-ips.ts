/**
 * Which addresses the node has in the eyes of its pods and the cluster: the
 * requested ones, else the first that fits of the node's name, the resolver's
 * answer and the interfaces, those of default routes first.
 */
import { isIP } from 'node:net';
import { canonicalIp } from '../../../core/status/pod-addresses.ts';

export interface HostInterface {
  readonly name: string;
  readonly addresses: readonly string[];
}

export interface NodeIpFacts {
  /** From `--node-ip`, at most two; `0.0.0.0` or `::` only says which family is preferred. */
  readonly requested: readonly string[];
  readonly nodeName: string;
  /** What the resolver says about the node's name. */
  readonly resolved: readonly string[];
  /** Names of interfaces with a default route, IPv4 and IPv6. */
  readonly defaultRouteInterfaces: readonly string[];
  readonly interfaces: readonly HostInterface[];
}

export interface NodeIps {
  /** Primary first; none when there is a problem. */
  readonly ips: readonly string[];
  readonly problem?: string;
}

/** False when the requested addresses decide alone. */
export function needsResolver(requested: readonly string[]): boolean {
  const [primary = ''] = requested;
  return primary === '' || isUnspecified(canonicalIp(primary) ?? primary);
}

export function decideNodeIps(given: NodeIpFacts): NodeIps {
  const facts = toCanonical(given);
  const local = new Set(facts.interfaces.flatMap(({ addresses }) => addresses));
  const [primary = '', secondary] = facts.requested;
  if (!needsResolver(facts.requested)) return checkRequested(primary, secondary, local);
  const family = isIP(primary) === 6 ? 6 : 4;
  const onHost = [...(isIP(facts.nodeName) === 0 ? [] : [facts.nodeName]), ...facts.resolved];
  const chosen =
    preferFamily(
      onHost.filter((ip) => findIpProblem(ip, local) === undefined),
      family,
    ) ?? preferFamily(addressesByRoute(facts), family);
  if (chosen !== undefined) return { ips: [chosen] };
  const problem = `can't get ip address of node ${facts.nodeName}. error: no interface has a usable address`;
  return { ips: [], problem };
}

/** One address has many spellings; from here on each has one. */
function toCanonical(facts: NodeIpFacts): NodeIpFacts {
  const spell = (ip: string): string => canonicalIp(ip) ?? ip;
  return {
    ...facts,
    requested: facts.requested.map(spell),
    nodeName: isIP(facts.nodeName) === 0 ? facts.nodeName : spell(facts.nodeName),
    resolved: facts.resolved.map(spell),
    interfaces: facts.interfaces.map((entry) => ({ ...entry, addresses: entry.addresses.map(spell) })),
  };
}

function checkRequested(primary: string, secondary: string | undefined, local: ReadonlySet<string>): NodeIps {
  const problem = findIpProblem(primary, local);
  if (problem !== undefined) return { ips: [], problem: `failed to validate nodeIP: ${problem}` };
  if (secondary === undefined) return { ips: [primary] };
  const second = findIpProblem(secondary, local);
  if (second !== undefined) return { ips: [], problem: `failed to validate secondaryNodeIP: ${second}` };
  return { ips: [primary, secondary] };
}

/** Interfaces of default routes first: what others, such as a pod bridge, have is reachable from here only. */
function addressesByRoute({ interfaces, defaultRouteInterfaces }: NodeIpFacts): string[] {
  const isRouted = ({ name }: HostInterface): boolean => defaultRouteInterfaces.includes(name);
  const usable = (entry: HostInterface): string[] =>
    entry.addresses.filter((ip) => findIpProblem(ip, new Set(entry.addresses)) === undefined);
  const routed = interfaces.filter(isRouted).flatMap(usable);
  return routed.length > 0 ? routed : interfaces.flatMap(usable);
}

function preferFamily(addresses: readonly string[], family: 4 | 6): string | undefined {
  return addresses.find((address) => isIP(address) === family) ?? addresses[0];
}

/** Why the address cannot be the node's; undefined when it can. */
function findIpProblem(ip: string, local: ReadonlySet<string>): string | undefined {
  if (isIP(ip) === 0) return 'nodeIP must be a valid IP address';
  if (isLoopback(ip)) return "nodeIP can't be loopback address";
  if (isMulticast(ip)) return "nodeIP can't be a multicast address";
  if (isLinkLocal(ip)) return "nodeIP can't be a link-local unicast address";
  if (isUnspecified(ip)) return "nodeIP can't be an all zeros address";
  if (!local.has(ip)) return `node IP: ${JSON.stringify(ip)} not found in the host's network interfaces`;
  return undefined;
}

function isLoopback(ip: string): boolean {
  return ip.startsWith('127.') || ip === '::1';
}

function isMulticast(ip: string): boolean {
  if (isIP(ip) === 6) return /^ff/i.test(ip);
  const first = Number(ip.split('.', 1)[0]);
  return first >= 224 && first <= 239;
}

function isLinkLocal(ip: string): boolean {
  return ip.startsWith('169.254.') || /^fe[89ab]/i.test(ip);
}

function isUnspecified(ip: string): boolean {
  return ip === '0.0.0.0' || ip === '::';
}
