/**
 * Warnings about the node, recorded once at the start of the agent: things
 * that work, but are deprecated, unsafe or incomplete.
 */

import type { EventText } from '../model/event-text.ts';
import { SUBDOMAIN_MAX_LENGTH } from '../spec/dns-names.ts';
import { parseResolvConf } from '../spec/resolv-conf.ts';

export interface NodeWarningFacts {
  readonly cgroupVersion: 1 | 2;
  readonly swapBytes: number;
  /** What volumes keep in memory can be kept out of swap. */
  readonly tmpfsNoSwap: boolean;
  readonly clusterDomain: string;
  /** Undefined when the configuration names no resolver file. */
  readonly resolver: CheckedResolver | undefined;
}

/** Its text, or why it cannot be read. */
export type CheckedResolver = { readonly path: string } & (
  | { readonly text: string }
  | { readonly problem: string }
);

const MAX_SEARCH_PATHS = 32;
/** Pods of the cluster search its own domains before those of the node. */
const CLUSTER_SEARCH_PATHS = 3;
const MAX_SEARCH_LINE = 2048;
const CGROUP_V1 =
  'cgroup v1 detected. cgroup v1 support is deprecated and will be removed in a future release. Please migrate to cgroup v2. More information at https://git.k8s.io/enhancements/keps/sig-node/5573-remove-cgroup-v1';
const SWAPPED =
  'The tmpfs noswap option is not supported. Memory-backed volumes (e.g. secrets, emptyDirs, etc.) might be swapped to disk and should no longer be considered secure.';

export function toNodeWarnings(facts: NodeWarningFacts): EventText[] {
  const { cgroupVersion, swapBytes, tmpfsNoSwap, resolver, clusterDomain } = facts;
  const warn = (reason: string, message: string): EventText[] => [{ type: 'Warning', reason, message }];
  const limits = resolver && findResolverProblem(resolver, clusterDomain);
  return [
    ...(cgroupVersion === 1 ? warn('CgroupV1', CGROUP_V1) : []),
    ...(swapBytes > 0 && !tmpfsNoSwap ? warn('PossibleMemoryBackedVolumesOnDisk', SWAPPED) : []),
    ...(limits === undefined ? [] : warn('CheckLimitsForResolvConf', limits)),
  ];
}

/** What of the node's searches pods will not get. */
function findResolverProblem(file: CheckedResolver, clusterDomain: string): string | undefined {
  if ('problem' in file) return file.problem;
  const parsed = parseResolvConf(file.text);
  if (!parsed.ok) return parsed.message;
  const { searches } = parsed.value;
  const limit = MAX_SEARCH_PATHS - (clusterDomain === '' ? 0 : CLUSTER_SEARCH_PATHS);
  if (searches.length > limit)
    return `Resolv.conf file '${file.path}' contains search line consisting of more than ${limit} domains!`;
  if (searches.some((search) => search.length > SUBDOMAIN_MAX_LENGTH))
    return `Resolv.conf file ${JSON.stringify(file.path)} contains a search path which length is more than allowed ${SUBDOMAIN_MAX_LENGTH} chars!`;
  if (searches.join(' ').length > MAX_SEARCH_LINE)
    return `Resolv.conf file '${file.path}' contains search line which length is more than allowed ${MAX_SEARCH_LINE} chars!`;
  return undefined;
}
