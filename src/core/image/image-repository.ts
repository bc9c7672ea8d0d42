/**
 * Parts of an image reference that toTaggedImage has accepted:
 * the repository with its registry, in which credentials are looked up, and
 * the name as the user wrote it, under which pulls are remembered.
 */

const DEFAULT_REGISTRY = 'docker.io';
const LEGACY_REGISTRY = 'index.docker.io';
const REFERENCE = /^(.*?)(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@[^@/]+)?$/s;

/** As written, without tag and digest: `nginx:1@sha256:…` is `nginx`. */
export function trimTagAndDigest(image: string): string {
  return splitReference(image).name;
}

/** With registry, without tag and digest: `nginx:1` is `docker.io/library/nginx`. */
export function toRepository(image: string): string {
  const { name } = splitReference(image);
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(0, slash));
  const isRegistry = /[.:A-Z]/.test(first) || first === 'localhost';
  const registry = !isRegistry || first === LEGACY_REGISTRY ? DEFAULT_REGISTRY : first;
  const path = isRegistry ? name.slice(slash + 1) : name;
  return registry === DEFAULT_REGISTRY && !path.includes('/')
    ? `${registry}/library/${path}`
    : `${registry}/${path}`;
}

/** One spelling for all that name the same image: with registry, and with `:latest` where neither tag nor digest is. */
export function toFullReference(image: string): string {
  const { tag, digest } = splitReference(image);
  return `${toRepository(image)}${tag === '' && digest === '' ? ':latest' : tag}${digest}`;
}

function splitReference(image: string): { name: string; tag: string; digest: string } {
  const [, name = image, tag = '', digest = ''] = REFERENCE.exec(image) ?? [];
  return { name, tag, digest };
}
