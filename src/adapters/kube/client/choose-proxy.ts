/** Which proxy stands before the API server: the kubeconfig's, or that of the environment. */
import { BlockList, isIP } from 'node:net';
import { canonicalIp } from '../../../core/status/pod-addresses.ts';

/**
 * The proxy of HTTPS_PROXY or HTTP_PROXY by the server's scheme, unless NO_PROXY
 * excludes it. Loopback servers never go through one. Undefined also when the variable is no URL.
 */
export function chooseProxy(server: URL, environment: NodeJS.ProcessEnv): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = environment[name] || environment[name.toLowerCase()];
  if (value === undefined || value === '') return undefined;
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const exceptions = environment['NO_PROXY'] || environment['no_proxy'] || '';
  if (isLoopback(host) || exceptions.split(',').some((entry) => matches(entry, host, server)))
    return undefined;
  return URL.parse(value.includes('://') ? value : `http://${value}`) ?? undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `*`, a name with its sub-names, `.suffix`, an address, a CIDR; with `:port` only for that port. */
function matches(entry: string, host: string, server: URL): boolean {
  const pattern = entry.trim().toLowerCase();
  if (pattern === '') return false;
  if (pattern === '*') return true;
  if (pattern.includes('/')) return isInSubnet(host, pattern);
  if (isIP(pattern) !== 0) return canonicalIp(pattern) === (canonicalIp(host) ?? host);
  const [name = '', port] = pattern.split(':');
  if (port !== undefined && port !== (server.port || (server.protocol === 'https:' ? '443' : '80')))
    return false;
  const bare = name.replace(/^\*?\./, '');
  return host.endsWith(`.${bare}`) || (host === bare && !name.startsWith('.') && !name.startsWith('*'));
}

function isInSubnet(host: string, cidr: string): boolean {
  const [network = '', prefix = ''] = cidr.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
