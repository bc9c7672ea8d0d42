/** The images a node publishes, for the scheduler: the largest first, each with a few of its names. */
import type { ContainerImage } from '../api/node.ts';
import type { ImageFacts } from './node-status-facts.ts';

const MAX_NAMES = 5;

/** `maxImages` -1 means all. */
export function computeNodeImages(images: readonly ImageFacts[], maxImages: number): ContainerImage[] {
  const sorted = images.toSorted((a, b) => b.sizeBytes - a.sizeBytes || compareText(b.id, a.id));
  return sorted
    .slice(0, maxImages === -1 ? undefined : maxImages)
    .map(({ repoDigests, repoTags, sizeBytes }) => ({
      names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES),
      sizeBytes,
    }));
}

/** By code point, as everything in the API is sorted. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
