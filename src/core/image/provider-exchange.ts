/**
 * The request to a credential plugin and its answer
 * (credentialprovider.kubelet.k8s.io), and how long and for which images an
 * answer is cached. Errors never quote the answer, because it holds secrets.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { parseDurationNanos } from '../../base/text/go-duration.ts';
import type { CredentialProvider } from './credential-provider.ts';
import type { DockerConfig, DockerConfigEntry } from './docker-config.ts';
import { FieldReader, type Fields, toFields } from './field-reader.ts';

const CACHE_KEY_TYPES: readonly string[] = ['Image', 'Registry', 'Global'];
const GLOBAL = '<global>';
const UNREADABLE = 'error decoding credential provider plugin response from stdout';

/** The token of the pod's service account, for plugins that want one. */
export interface ServiceAccountProof {
  readonly token: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ProviderResponse {
  readonly cacheKeyType: 'Image' | 'Registry' | 'Global';
  /** Undefined means the provider's default; 0 means not cached. */
  readonly cacheMs: number | undefined;
  readonly config: DockerConfig;
}

/** `image` is the repository with its registry, without tag. */
export function renderProviderRequest(
  { apiVersion }: CredentialProvider,
  image: string,
  proof: ServiceAccountProof | undefined,
): string {
  const { token, annotations = {} } = proof ?? {};
  return `${JSON.stringify({
    kind: 'CredentialProviderRequest',
    apiVersion,
    image,
    ...(token === undefined ? {} : { serviceAccountToken: token }),
    ...(Object.keys(annotations).length === 0 ? {} : { serviceAccountAnnotations: annotations }),
  })}\n`;
}

export function parseProviderResponse(
  text: string,
  { apiVersion }: CredentialProvider,
): Outcome<ProviderResponse> {
  const fields = parseFields(text);
  if (fields === undefined) return refuse('error reading GVK from response: it is not a JSON object');
  const { apiVersion: given } = fields;
  if (given !== apiVersion)
    return refuse(
      `apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:${typeof given === 'string' ? given : ''}`,
    );
  const problems: string[] = [];
  const reader = new FieldReader(fields, '', problems);
  const cacheKeyType = reader.text('cacheKeyType');
  const cacheMs = toMs(reader.text('cacheDuration'));
  const config = toConfig(fields['auth'] ?? {});
  reader.refuseOthers(['kind', 'apiVersion', 'cacheKeyType', 'cacheDuration', 'auth']);
  const isWrong = problems.length > 0 || fields['kind'] !== 'CredentialProviderResponse';
  if (isWrong || config === undefined || Number.isNaN(cacheMs)) return refuse(UNREADABLE);
  if (!CACHE_KEY_TYPES.includes(cacheKeyType))
    return refuse(`credential provider plugin did not return a valid cacheKeyType: ${cacheKeyType}`);
  return accept({ cacheKeyType: cacheKeyType as ProviderResponse['cacheKeyType'], cacheMs, config });
}

/** Under which key an answer for `image` is kept. */
export function toCacheKey({ cacheKeyType }: Pick<ProviderResponse, 'cacheKeyType'>, image: string): string {
  return { Image: image, Registry: registryOf(image), Global: GLOBAL }[cacheKeyType];
}

/** Where a kept answer for `image` may be, in the order to look. */
export function toCacheKeys(image: string): readonly string[] {
  return [image, registryOf(image), GLOBAL];
}

function registryOf(image: string): string {
  return image.split('/', 1)[0] ?? '';
}

/** Undefined when nothing is said, NaN for what is no duration. */
function toMs(text: string): number | undefined {
  if (text === '') return undefined;
  const nanos = parseDurationNanos(text);
  return nanos === undefined ? Number.NaN : Number(nanos) / 1e6;
}

function toConfig(auth: unknown): DockerConfig | undefined {
  const fields = toFields(auth);
  if (fields === undefined) return undefined;
  const config = new Map<string, DockerConfigEntry>();
  for (const [pattern, value] of Object.entries(fields)) {
    const { username = '', password = '', ...rest } = toFields(value) ?? { '': undefined };
    const isEntry = typeof username === 'string' && typeof password === 'string';
    if (!isEntry || Object.keys(rest).length > 0) return undefined;
    config.set(pattern, { username, password, email: '' });
  }
  return config;
}

function parseFields(text: string): Fields | undefined {
  try {
    return toFields(JSON.parse(text));
  } catch {
    return undefined;
  }
}
