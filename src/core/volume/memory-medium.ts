/**
 * Mount options of memory-backed directories: the size a tmpfs may grow to,
 * whether it may be swapped out, and which huge pages a pod's volume gets.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../api/pod.ts';
import { parseQuantity, quantityToBytes } from '../api/quantity.ts';
import type { NodeProfile, SwapFacts } from '../model/node-profile.ts';
import { containersOf } from '../model/pod-containers.ts';
import { HUGEPAGES_PREFIX, isHugePages } from '../resources/hugepages.ts';
import { toPodCgroupLimits } from '../resources/pod-cgroup-limits.ts';
import { resourceBytes } from '../resources/pod-resources.ts';

/** The smallest of what the node gives to pods, the pod's limit and the volume's own; 0 means no limit. */
export function computeTmpfsSize(pod: Pod, sizeLimit: string | undefined, node: NodeProfile): number {
  const offers = [
    toPodCgroupLimits(pod, node).memoryLimitBytes ?? 0,
    sizeLimit === undefined ? 0 : quantityToBytes(parseQuantity(sizeLimit)),
  ];
  const all = resourceBytes(node.allocatable, 'memory');
  return offers.reduce((size, offer) => (offer > 0 && offer <= size ? offer : size), all);
}

/** Options of `mount -t tmpfs`. */
export function toTmpfsOptions(sizeBytes: number, { tmpfsNoSwap }: Pick<SwapFacts, 'tmpfsNoSwap'>): string[] {
  return [...(sizeBytes > 0 ? [`size=${sizeBytes}`] : []), ...(tmpfsNoSwap ? ['noswap'] : [])];
}

/** Linux has the option since 6.4; an older one may have got it later. */
export function supportsNoSwap(kernelRelease: string): boolean {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(kernelRelease) ?? [];
  return Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 4);
}

/** The page size in bytes of an emptyDir with medium `HugePages` or `HugePages-<size>`. */
export function toPageSize(pod: Pod, medium: string): Outcome<number> {
  const lists = [pod.spec.resources, ...containersOf(pod).map((container) => container.resources)];
  const requested = new Set(
    lists
      .flatMap((list) => Object.keys(list?.requests ?? list?.limits ?? {}))
      .filter(isHugePages)
      .map((name) => toBytes(name.slice(HUGEPAGES_PREFIX.length))),
  );
  const named = medium === 'HugePages' ? undefined : toBytes(medium.slice('HugePages-'.length));
  const [only] = requested;
  if (named === undefined && requested.size > 1)
    return refuse(`medium: ${medium} can't be used if container requests multiple huge page sizes`);
  const size = named === undefined ? only : requested.has(named) ? named : undefined;
  if (size !== undefined) return accept(size);
  return refuse(
    `medium ${medium}: hugePages storage requested, but there is no resource request for huge pages`,
  );
}

function toBytes(size: string): number {
  return quantityToBytes(parseQuantity(size));
}
