/**
 * What is known of the images on the node: when each was first seen, and when a
 * container last used it. Times are milliseconds since the epoch.
 */
import { toFullReference, toRepository } from '../image/image-repository.ts';

/** As the runtime lists it. */
export interface ListedImage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
  readonly pinned: boolean;
}

export interface ImageRecord extends ListedImage {
  readonly firstDetectedMs: number;
  /** Undefined when no container was ever seen to use it. */
  readonly lastUsedMs: number | undefined;
  readonly inUse: boolean;
}

export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/**
 * The records after a look at the runtime; those of images that are gone are
 * dropped. `used` are identities and references, however spelled: of all
 * containers, whatever their state, and of what pods are about to start or mount.
 */
export function detectImages(
  before: ImageRecords,
  images: readonly ListedImage[],
  used: Iterable<string>,
  nowMs: number,
): Map<string, ImageRecord> {
  const usedNames = new Set([...used].flatMap((name) => (name === '' ? [] : [name, toFullReference(name)])));
  return new Map(
    images.map((image) => {
      const known = before.get(image.id);
      const inUse = namesOf(image).some((name) => usedNames.has(name));
      const record = {
        ...image,
        firstDetectedMs: known?.firstDetectedMs ?? nowMs,
        lastUsedMs: inUse ? nowMs : known?.lastUsedMs,
        inUse,
      };
      return [image.id, record];
    }),
  );
}

/**
 * False for an image that the node may not get again: it was imported (a pull
 * leaves a digest), or its registry is this machine.
 */
export function canBePulled({
  repoTags,
  repoDigests,
}: Pick<ListedImage, 'repoTags' | 'repoDigests'>): boolean {
  return repoDigests.length > 0 && [...repoTags, ...repoDigests].some((name) => !isLocal(toRepository(name)));
}

function isLocal(repository: string): boolean {
  const host = repository.slice(0, repository.indexOf('/')).replace(/:\d+$/, '');
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

function namesOf({ id, repoTags, repoDigests }: ListedImage): string[] {
  const names = [...repoTags, ...repoDigests];
  return [id, ...names, ...names.map(toFullReference)];
}
