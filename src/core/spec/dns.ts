/**
 * A pod's resolver settings: the policy picks a base (cluster, node or
 * nothing), the pod's own settings are added, limits cut last. Cuts and
 * fallbacks are returned as events for the caller to record.
 */

import { accept, type Outcome } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { Pod } from '../api/pod.ts';
import { describePod } from '../api/pod-identity.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { DnsConfig } from '../model/sandbox-config.ts';
import { SUBDOMAIN_MAX_LENGTH } from './dns-names.ts';
import { mergeOptions, parseResolvConf } from './resolv-conf.ts';

/** A Warning event to record; nothing failed. */
export interface SpecWarning {
  readonly target: 'pod' | 'node';
  readonly reason: 'DNSConfigForming' | 'MissingClusterDNS';
  readonly message: string;
}

export interface PodDns {
  readonly dns: DnsConfig;
  readonly warnings: readonly SpecWarning[];
}

export interface DnsFacts {
  readonly node: Pick<NodeProfile, 'clusterDomain' | 'clusterDns' | 'nodeIps'>;
  /** Text of the node's resolver file; undefined when the configuration names none. */
  readonly resolvConf: string | undefined;
}

type DnsBase = 'none' | 'cluster' | 'host';

const MAX_NAMESERVERS = 3;
export const MAX_SEARCH_PATHS = 32;
export const MAX_SEARCH_LINE = 2048;
const EMPTY: DnsConfig = { servers: [], searches: [], options: [] };

/** Refused only when the resolver file cannot be understood. */
export function toDnsConfig(pod: Pod, facts: DnsFacts): Outcome<PodDns> {
  const warnings: SpecWarning[] = [];
  const base = chooseBase(pod, facts, warnings);
  const host = facts.resolvConf === undefined ? accept(EMPTY) : parseResolvConf(facts.resolvConf);
  if (!host.ok) return host;
  const combined = appendPodDns(toBase(base, pod, facts, host.value), pod);
  const dns = {
    servers: limitServers(combined.servers, warnings),
    searches: limitSearches(combined.searches, warnings),
    options: combined.options,
  };
  return accept({ dns, warnings });
}

function chooseBase(pod: Pod, facts: DnsFacts, warnings: SpecWarning[]): DnsBase {
  const { dnsPolicy, hostNetwork } = pod.spec;
  if (dnsPolicy === 'None') return 'none';
  if (dnsPolicy === 'Default') return 'host';
  if (dnsPolicy === 'ClusterFirst' && hostNetwork === true) return 'host';
  if (facts.node.clusterDns.length > 0) return 'cluster';
  const message =
    'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
  warnings.push(
    { target: 'node', reason: 'MissingClusterDNS', message },
    {
      target: 'pod',
      reason: 'MissingClusterDNS',
      message: `pod: ${quote(describePod(pod))}. ${message}`,
    },
  );
  return 'host';
}

function toBase(base: DnsBase, pod: Pod, { node, resolvConf }: DnsFacts, host: DnsConfig): DnsConfig {
  switch (base) {
    case 'none':
      return EMPTY;
    case 'cluster':
      return {
        servers: node.clusterDns,
        searches: clusterSearches(pod, node.clusterDomain, host.searches),
        // The node's own options are dropped: they were made for the node's resolvers.
        options: ['ndots:5'],
      };
    case 'host':
      if (resolvConf !== undefined) return host;
      return { servers: loopbackServers(node.nodeIps()), searches: ['.'], options: [] };
  }
}

function clusterSearches(pod: Pod, clusterDomain: string, hostSearches: readonly string[]): string[] {
  if (clusterDomain === '') return [...hostSearches];
  const services = `svc.${clusterDomain}`;
  return unique([`${pod.metadata.namespace}.${services}`, services, clusterDomain, ...hostSearches]);
}

function loopbackServers(nodeIps: readonly string[]): string[] {
  if (nodeIps.length === 0) return ['127.0.0.1'];
  return unique(nodeIps.map((ip) => (ip.includes(':') ? '::1' : '127.0.0.1')));
}

function appendPodDns(base: DnsConfig, pod: Pod): DnsConfig {
  const own = pod.spec.dnsConfig;
  if (own === undefined) return base;
  const options = (own.options ?? []).map(({ name = '', value }) => (value ? `${name}:${value}` : name));
  return {
    servers: unique([...base.servers, ...(own.nameservers ?? [])]),
    searches: unique([...base.searches, ...(own.searches ?? [])]),
    options: mergeOptions(base.options, options),
  };
}

function limitServers(servers: readonly string[], warnings: SpecWarning[]): readonly string[] {
  if (servers.length <= MAX_NAMESERVERS) return servers;
  const kept = servers.slice(0, MAX_NAMESERVERS);
  warnings.push({
    target: 'pod',
    reason: 'DNSConfigForming',
    message: `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${kept.join(' ')}`,
  });
  return kept;
}

function limitSearches(searches: readonly string[], warnings: SpecWarning[]): readonly string[] {
  const kept = searches.slice(0, MAX_SEARCH_PATHS).filter((search) => search.length <= SUBDOMAIN_MAX_LENGTH);
  while (kept.join(' ').length > MAX_SEARCH_LINE) kept.pop();
  if (kept.length === searches.length) return searches;
  warnings.push({
    target: 'pod',
    reason: 'DNSConfigForming',
    message: `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${kept.join(' ')}`,
  });
  return kept;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
