/**
 * Which credentials to try for an image. A keyring holds the entries of one
 * kind of source; several are searched in turn and their results appended.
 * Within one the more specific entry comes first.
 */
import type { DockerConfig } from './docker-config.ts';
import type { PullCredential, PullCredentialSource } from './registry-credential.ts';
import { matchesRegistry, parseRegistryPattern } from './registry-pattern.ts';

/** By what their entry is looked up with, in reverse order of the text. */
export type Keyring = readonly (readonly [key: string, credentials: readonly PullCredential[]])[];

export interface KeyringPart {
  readonly source: PullCredentialSource;
  readonly config: DockerConfig;
}

const DEFAULT_REGISTRY = 'index.docker.io';

/** Entries of one registry keep the order of the parts. Those that name no registry are left out. */
export function toKeyring(parts: readonly KeyringPart[]): Keyring {
  const byKey = new Map<string, PullCredential[]>();
  for (const { source, config } of parts) {
    for (const [registry, entry] of config) {
      const key = toKey(registry);
      if (key === undefined) continue;
      const list = byKey.get(key) ?? [];
      list.push({ ...entry, source });
      byKey.set(key, list);
    }
  }
  // By bytes: the longer of two that begin alike, which is the more specific one, comes first.
  return [...byKey].sort(([a], [b]) => (a < b ? 1 : a > b ? -1 : 0));
}

/** In the order in which to try them; none when the keyring has nothing for the repository. */
export function lookUpCredentials(keyring: Keyring, repository: string): PullCredential[] {
  const found = keyring.flatMap(([key, credentials]) =>
    matchesRegistry(key, repository) ? credentials : [],
  );
  if (found.length > 0 || !isOfDefaultRegistry(repository)) return found;
  return [...(keyring.find(([key]) => key === DEFAULT_REGISTRY)?.[1] ?? [])];
}

/** Host and path of an entry; `/v1/` and `/v2/` in front mean the registry itself. */
function toKey(registry: string): string | undefined {
  const plain = registry.replace(/^https?:\/\//, '');
  const parsed = parseRegistryPattern(plain);
  if (parsed === undefined) return undefined;
  const { labels, port, path } = parsed;
  const shorter = /^\/v[12]\//.test(path) ? path.slice('/v1'.length) : path;
  return `${labels.join('.')}${port === '' ? '' : `:${port}`}${shorter === '/' ? '' : shorter}`;
}

function isOfDefaultRegistry(repository: string): boolean {
  const [first = '', ...rest] = repository.split('/');
  if (first === '') return false;
  return rest.length === 0 || first === 'docker.io' || first === DEFAULT_REGISTRY || !/[.:]/.test(first);
}
