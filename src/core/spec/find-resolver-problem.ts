/** What pods would lose of the node's resolver file because it exceeds the limits of resolvers. */

import { quote } from '../../base/text/quote.ts';
import { MAX_SEARCH_LINE, MAX_SEARCH_PATHS } from './dns.ts';
import { SUBDOMAIN_MAX_LENGTH } from './dns-names.ts';
import { parseResolvConf } from './resolv-conf.ts';

/** Search paths that a pod of a cluster has before those of the node. */
const CLUSTER_PATHS = 3;

/** The first problem, in the words of the node's event; `text` is undefined when there is no such file. */
export function findResolverProblem(
  path: string,
  text: string | undefined,
  clusterDomain: string,
): string | undefined {
  if (text === undefined) return `open ${path}: no such file or directory`;
  const parsed = parseResolvConf(text);
  if (!parsed.ok) return parsed.message;
  const { searches } = parsed.value;
  const most = clusterDomain === '' ? MAX_SEARCH_PATHS : MAX_SEARCH_PATHS - CLUSTER_PATHS;
  if (searches.length > most)
    return `Resolv.conf file '${path}' contains search line consisting of more than ${most} domains!`;
  if (searches.some((search) => search.length > SUBDOMAIN_MAX_LENGTH))
    return `Resolv.conf file ${quote(path)} contains a search path which length is more than allowed ${SUBDOMAIN_MAX_LENGTH} chars!`;
  if (searches.join(' ').length > MAX_SEARCH_LINE)
    return `Resolv.conf file '${path}' contains search line which length is more than allowed ${MAX_SEARCH_LINE} chars!`;
  return undefined;
}
