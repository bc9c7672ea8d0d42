/**
 * Which images a node deletes, in which order: those that were not used for
 * too long, and when the disk of images is fuller than the high threshold as
 * many as bring it down to the low one.
 */
import { canBePulled, type ImageRecord, type ImageRecords } from './image-record.ts';

export interface ImageCollectionPolicy {
  readonly highPercent: number;
  readonly lowPercent: number;
  /** An image that was first seen later than this before is not deleted for space. */
  readonly minAgeMs: number;
  /** Images that were not used for longer are deleted; 0 is no bound. */
  readonly maxAgeMs: number;
  /** Whether images are deleted that may not be pulled again: imported ones, and those of a registry on this machine. */
  readonly collectsUnpullable: boolean;
}

/** The numbers of the file system that images are on. */
export interface ImageFileSystem {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

export type SpacePlan =
  | { readonly kind: 'invalid-capacity' }
  | { readonly kind: 'enough'; readonly usedPercent: number }
  | { readonly kind: 'free'; readonly usedPercent: number; readonly bytesToFree: number };

/** False when neither threshold nor age can ever ask for a deletion. */
export function isPeriodic({ highPercent, maxAgeMs }: ImageCollectionPolicy): boolean {
  return highPercent < 100 || maxAgeMs > 0;
}

/** Images that may be deleted, least recently used first; those that may not be pulled again come last. */
export function listCandidates(records: ImageRecords, policy: ImageCollectionPolicy): ImageRecord[] {
  return [...records.values()]
    .filter((image) => !image.inUse && !image.pinned)
    .filter((image) => policy.collectsUnpullable || canBePulled(image))
    .sort(compareCandidates);
}

/** Those that were not used for too long; none before the agent has watched for as long itself. */
export function listOverAge(
  records: ImageRecords,
  policy: ImageCollectionPolicy,
  watchedSinceMs: number,
  nowMs: number,
): ImageRecord[] {
  const { maxAgeMs } = policy;
  if (maxAgeMs <= 0 || nowMs - watchedSinceMs <= maxAgeMs) return [];
  return listCandidates(records, policy).filter(({ lastUsedMs = 0 }) => nowMs - lastUsedMs > maxAgeMs);
}

/** Candidates that are old enough to be deleted for their space. */
export function listOldEnough(
  records: ImageRecords,
  policy: ImageCollectionPolicy,
  nowMs: number,
): ImageRecord[] {
  return listCandidates(records, policy).filter(
    ({ firstDetectedMs }) => nowMs - firstDetectedMs >= policy.minAgeMs,
  );
}

/** Whether there is too little space, and how much has to become free. */
export function planSpace(
  { capacityBytes, availableBytes }: ImageFileSystem,
  { highPercent, lowPercent }: ImageCollectionPolicy,
): SpacePlan {
  if (capacityBytes <= 0) return { kind: 'invalid-capacity' };
  const available = Math.min(availableBytes, capacityBytes);
  const usedPercent = 100 - Math.floor((available * 100) / capacityBytes);
  if (usedPercent < highPercent) return { kind: 'enough', usedPercent };
  const bytesToFree = Math.floor((capacityBytes * (100 - lowPercent)) / 100) - available;
  return { kind: 'free', usedPercent, bytesToFree };
}

/** As many of the images, in their order, as together have this size. */
export function takeUntilFreed(images: readonly ImageRecord[], bytesToFree: number): ImageRecord[] {
  const taken: ImageRecord[] = [];
  let freed = 0;
  for (const image of images) {
    if (freed >= bytesToFree) break;
    taken.push(image);
    freed += image.sizeBytes;
  }
  return taken;
}

/** The event of a collection that could not free enough. */
export function renderInsufficient(usedPercent: number, capacityBytes: number, freedBytes: number): string {
  return `Insufficient free disk space on the node's image filesystem (${usedPercent}% of ${renderSize(capacityBytes)} used). Failed to free sufficient space by deleting unused images (freed ${freedBytes} bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;

/** Such as `12.3 GiB`. */
export function renderSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`;
}

function compareCandidates(a: ImageRecord, b: ImageRecord): number {
  return (
    Number(canBePulled(b)) - Number(canBePulled(a)) ||
    (a.lastUsedMs ?? 0) - (b.lastUsedMs ?? 0) ||
    a.firstDetectedMs - b.firstDetectedMs
  );
}
