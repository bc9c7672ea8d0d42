/**
 * The images of the fake node and of the registries it can reach. Everything
 * can be pulled except `missing/…` (not-found) and, without a credential,
 * `private/…` (permission-denied). The identity of an image follows from its
 * name alone.
 */
import { createHash } from 'node:crypto';
import { AgentError } from '../../src/base/errors.ts';
import type { RegistryCredential } from '../../src/core/image/registry-credential.ts';
import type { ImageInfo } from '../../src/ports/runtime/image-service.ts';

export class FakeImages {
  readonly #byId = new Map<string, ImageInfo>();

  constructor(present: readonly string[]) {
    for (const image of present) this.add(image);
  }

  get all(): ImageInfo[] {
    return [...this.#byId.values()];
  }

  /** By name, digest or identity; undefined when it is not here. */
  find(image: string): ImageInfo | undefined {
    return this.#byId.get(image) ?? this.#byId.get(idOf(image));
  }

  /** The image is here, as if pulled before. */
  add(image: string, extra: Partial<ImageInfo> = {}): ImageInfo {
    const id = idOf(image);
    const tagged = withTag(image);
    const repository = tagged.slice(0, tagged.lastIndexOf(':'));
    const info: ImageInfo = {
      id,
      repoTags: image.includes('@') ? [] : [...new Set([tagged, image])],
      repoDigests: image.includes('@') ? [image] : [`${repository}@${id}`],
      sizeBytes: 1_000_000,
      pinned: false,
      ...extra,
    };
    this.#byId.set(id, info);
    return info;
  }

  pull(image: string, credential: RegistryCredential | undefined): ImageInfo {
    if (/(?:^|\/)missing\//.test(image))
      throw new AgentError('not-found', `failed to pull image "${image}": not found`);
    if (/(?:^|\/)private\//.test(image) && credential === undefined)
      throw new AgentError('permission-denied', `failed to pull image "${image}": access denied`);
    return this.find(image) ?? this.add(image);
  }

  remove(image: string): void {
    const found = this.find(image);
    if (found !== undefined) this.#byId.delete(found.id);
  }
}

const ids = new Map<string, string>();

/** `a`, `a:latest` and `docker.io/library/a` are the same image. */
function idOf(image: string): string {
  const known = ids.get(image);
  if (known !== undefined) return known;
  const id = computeId(image);
  ids.set(image, id);
  return id;
}

function computeId(image: string): string {
  const plain = withTag(image).replace(/^docker\.io\/(?:library\/)?/, '');
  return `sha256:${createHash('sha256').update(plain).digest('hex')}`;
}

function withTag(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  return /[:@]/.test(name) ? image : `${image}:latest`;
}
