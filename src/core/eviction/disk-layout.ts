/**
 * How images, writable layers and the kubelet's own files lie on disks. It
 * decides whose usage counts against which signal and what is worth deleting.
 *
 *   single     everything on one file system
 *   dedicated  images and writable layers on one of their own
 *   split      images on one of their own, writable layers with the kubelet
 */
import type { EvictionSignal } from './signals.ts';
import type { Threshold } from './threshold.ts';

export type DiskLayout = 'single' | 'dedicated' | 'split';

/** The devices behind the kubelet's root directory, images, and writable layers; undefined where the runtime names none. */
export interface DiskDevices {
  readonly node: string;
  readonly images: string | undefined;
  readonly containers: string | undefined;
}

export function toDiskLayout({ node, images = node, containers = images }: DiskDevices): DiskLayout {
  if (containers !== images) return 'split';
  return images === node ? 'single' : 'dedicated';
}

/** What the node can delete before a pod has to go, in order. */
export type ReclaimStep = 'dead-containers' | 'unused-images';

const BOTH: readonly ReclaimStep[] = ['dead-containers', 'unused-images'];
const NOTHING: readonly ReclaimStep[] = [];

const RECLAIM: Readonly<Record<DiskLayout, Readonly<Record<string, readonly ReclaimStep[]>>>> = {
  single: { nodefs: BOTH, imagefs: BOTH, containerfs: BOTH },
  dedicated: { nodefs: NOTHING, imagefs: BOTH, containerfs: BOTH },
  split: { nodefs: ['dead-containers'], imagefs: ['unused-images'], containerfs: ['dead-containers'] },
};

/** Nothing for memory and processes. */
export function reclaimStepsFor(signal: EvictionSignal, layout: DiskLayout): readonly ReclaimStep[] {
  return RECLAIM[layout][fileSystemOf(signal) ?? ''] ?? NOTHING;
}

/** `nodefs`, `imagefs` or `containerfs`; undefined for other signals. */
export function fileSystemOf(signal: EvictionSignal): 'nodefs' | 'imagefs' | 'containerfs' | undefined {
  const [name] = signal.split('.');
  return name === 'nodefs' || name === 'imagefs' || name === 'containerfs' ? name : undefined;
}

/**
 * Thresholds of the containers' file system are those of the file system it
 * shares, whatever the configuration says.
 */
export function withContainerFs(thresholds: readonly Threshold[], layout: DiskLayout): Threshold[] {
  const shared = layout === 'dedicated' ? 'imagefs' : 'nodefs';
  const kept = thresholds.filter(({ signal }) => fileSystemOf(signal) !== 'containerfs');
  const copies = kept.flatMap((threshold): Threshold[] => {
    if (fileSystemOf(threshold.signal) !== shared) return [];
    const signal = threshold.signal.replace(shared, 'containerfs') as EvictionSignal;
    return [{ ...threshold, signal }];
  });
  return [...kept, ...copies];
}
