/**
 * Huge page limits of a container: every size the kernel offers is named, so
 * that an unlisted one is forbidden rather than unlimited.
 */
import type { Container, Pod, ResourceList } from '../api/pod.ts';
import { parseQuantity, quantityToBytes } from '../api/quantity.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { LinuxResources } from '../model/observed-pod.ts';

export const HUGEPAGES_PREFIX = 'hugepages-';
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Whether a resource is huge pages of some size. */
export function isHugePages(resource: string): boolean {
  return resource.startsWith(HUGEPAGES_PREFIX);
}

/** `2097152` → `2MB`: the largest unit that keeps the number whole. */
export function formatPageSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size > 0 && size % 1024 === 0 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size}${UNITS[unit] ?? ''}`;
}

/** One entry per size of the node; the pod's limit, then the container's own. */
export function toHugepageLimits(
  pod: Pod,
  container: Container,
  node: Pick<NodeProfile, 'hugepageSizesBytes' | 'features'>,
): NonNullable<LinuxResources['hugepageLimits']> {
  const limits = new Map(node.hugepageSizesBytes.map((size) => [formatPageSize(size), 0]));
  const podLevel = node.features('PodLevelResources') ? pod.spec.resources?.limits : undefined;
  for (const [pageSize, limitBytes] of [
    ...hugepageAmounts(podLevel),
    ...hugepageAmounts(container.resources?.limits),
  ]) {
    limits.set(pageSize, limitBytes);
  }
  return [...limits].map(([pageSize, limitBytes]) => ({ pageSize, limitBytes }));
}

/** The huge page entries of a resource list as page size text and bytes. */
function hugepageAmounts(list: ResourceList | undefined): [pageSize: string, bytes: number][] {
  return Object.entries(list ?? {})
    .filter(([name]) => isHugePages(name))
    .map(([name, text]) => {
      const size = quantityToBytes(parseQuantity(name.slice(HUGEPAGES_PREFIX.length)));
      return [formatPageSize(size), quantityToBytes(parseQuantity(text))];
    });
}
