/**
 * Asks the machine for the node's addresses again and again: interfaces come
 * and go, and a requested address is only the node's while it is there.
 */
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { decideNodeIps, type HostInterface, type NodeIps, needsResolver } from './node-ips.ts';
import { parseDefaultRoutes, parseDefaultRoutes6 } from './parse-proc.ts';

export interface NodeAddressSources {
  readonly nodeName: string;
  /** From `--node-ip`. */
  readonly requested: readonly string[];
  /** Other places for tests. */
  readonly proc?: string;
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly readInterfaces?: () => readonly HostInterface[];
}

/** Never rejects; the caller bounds the time, because the resolver may take its own. */
export async function readNodeAddresses(sources: NodeAddressSources): Promise<NodeIps> {
  const { nodeName, requested, proc = '/proc', resolve = resolveName } = sources;
  const interfaces = (sources.readInterfaces ?? readInterfaces)();
  if (!needsResolver(requested))
    return decideNodeIps({ nodeName, requested, resolved: [], defaultRouteInterfaces: [], interfaces });
  const [resolved, routes, routes6] = await Promise.all([
    resolve(nodeName).catch(() => []),
    readText(`${proc}/net/route`),
    readText(`${proc}/net/ipv6_route`),
  ]);
  const defaultRouteInterfaces = [...parseDefaultRoutes(routes), ...parseDefaultRoutes6(routes6)];
  return decideNodeIps({ nodeName, requested, resolved, defaultRouteInterfaces, interfaces });
}

async function resolveName(name: string): Promise<readonly string[]> {
  const entries = await lookup(name, { all: true });
  return entries.map(({ address }) => address);
}

function readInterfaces(): HostInterface[] {
  return Object.entries(networkInterfaces()).map(([name, entries]) => ({
    name,
    addresses: entries?.map(({ address }) => address) ?? [],
  }));
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
