/** Pods that use more local storage than their own limits allow, whether or not the node is short of it. */
import type { Pod } from '../api/pod.ts';
import { formatQuantity, parseQuantity, quantityToBytes } from '../api/quantity.ts';
import { computePodLimits } from '../resources/pod-resources.ts';
import type { PodStats } from '../stats/summary.ts';
import type { DiskLayout } from './disk-layout.ts';

/** Also the value of the label `eviction_signal` in metrics. */
export type LocalStorageLimit = 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';

export interface LocalStorageExcess {
  readonly limit: LocalStorageLimit;
  readonly message: string;
}

/** Whether the pod has any limit of local storage, so that its usage has to be measured at all. */
export function hasLocalStorageLimit(pod: Pod): boolean {
  return (
    computePodLimits(pod).has('ephemeral-storage') ||
    (pod.spec.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined)
  );
}

/** The first limit that is exceeded: of a volume, of the pod, of a container. */
export function findLocalStorageExcess(
  pod: Pod,
  stats: PodStats,
  layout: DiskLayout,
): LocalStorageExcess | undefined {
  return findFullEmptyDir(pod, stats) ?? findFullPod(pod, stats) ?? findFullContainer(pod, stats, layout);
}

function findFullEmptyDir(pod: Pod, stats: PodStats): LocalStorageExcess | undefined {
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit === undefined ? undefined : parseQuantity(emptyDir.sizeLimit);
    if (limit === undefined || limit.nanos <= 0n) continue;
    const used = stats.volume?.find((volume) => volume.name === name)?.usedBytes ?? 0;
    if (used <= quantityToBytes(limit)) continue;
    const shown = `${JSON.stringify(name)} exceeds the limit ${JSON.stringify(formatQuantity(limit))}`;
    return { limit: 'emptydirfs.limit', message: `Usage of EmptyDir volume ${shown}. ` };
  }
  return undefined;
}

function findFullPod(pod: Pod, stats: PodStats): LocalStorageExcess | undefined {
  const limit = computePodLimits(pod).get('ephemeral-storage');
  if (limit === undefined || (stats['ephemeral-storage']?.usedBytes ?? 0) <= quantityToBytes(limit))
    return undefined;
  const shown = formatQuantity(limit);
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${shown}. `;
  return { limit: 'ephemeralpodfs.limit', message };
}

function findFullContainer(pod: Pod, stats: PodStats, layout: DiskLayout): LocalStorageExcess | undefined {
  for (const { name, resources } of pod.spec.containers) {
    const text = resources?.limits?.['ephemeral-storage'];
    const found = stats.containers.find((container) => container.name === name);
    if (text === undefined || found === undefined) continue;
    const limit = parseQuantity(text);
    // On a file system of its own the writable layer does not count against the node's.
    const layer = layout === 'dedicated' ? 0 : (found.rootfs?.usedBytes ?? 0);
    if ((found.logs?.usedBytes ?? 0) + layer <= quantityToBytes(limit)) continue;
    const shown = JSON.stringify(formatQuantity(limit));
    const message = `Container ${name} exceeded its local ephemeral storage limit ${shown}. `;
    return { limit: 'ephemeralcontainerfs.limit', message };
  }
  return undefined;
}
