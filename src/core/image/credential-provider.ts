/**
 * Programs of the operator that provide registry credentials, as
 * CredentialProviderConfig (kubelet.config.k8s.io) lists them. Decoding is
 * strict and complete: every complaint names its field, none stops at the
 * first.
 */
import { parseDurationNanos } from '../../base/text/go-duration.ts';
import { qualifiedNameFaults } from '../api/validate-name.ts';
import { FieldReader, toFields } from './field-reader.ts';
import { parseRegistryPattern } from './registry-pattern.ts';

export interface CredentialProvider {
  /** Also the file name of its executable. */
  readonly name: string;
  readonly matchImages: readonly string[];
  /** How long an answer without a duration of its own is cached; 0 means not at all. */
  readonly defaultCacheMs: number;
  readonly apiVersion: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly tokenAttributes?: TokenAttributes;
}

/** The plugin is asked with a token of the pod's service account. */
export interface TokenAttributes {
  readonly audience: string;
  /** Whether an answer is cached for the token it was requested with, or for the account. */
  readonly cacheType: 'Token' | 'ServiceAccount';
  readonly requireServiceAccount: boolean;
  readonly requiredAnnotations: readonly string[];
  readonly optionalAnnotations: readonly string[];
}

export type ParsedProviders =
  | { readonly ok: true; readonly providers: readonly CredentialProvider[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const GROUP = 'kubelet.config.k8s.io';
const CONFIG_VERSIONS: readonly unknown[] = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version) => `${GROUP}/${version}`,
);
const TOKEN_API_VERSION = 'credentialprovider.kubelet.k8s.io/v1';
const API_VERSIONS: readonly string[] = [
  TOKEN_API_VERSION,
  `${TOKEN_API_VERSION}beta1`,
  `${TOKEN_API_VERSION}alpha1`,
];
const CACHE_TYPES: readonly string[] = ['ServiceAccount', 'Token'];

/** One decoded document. `allowTokens` is the gate KubeletServiceAccountTokenForCredentialProviders. */
export function parseProviderConfig(document: unknown, allowTokens: boolean): ParsedProviders {
  const problems: string[] = [];
  const top = toFields(document);
  if (top === undefined) return { ok: false, problems: ['want an object at the top'] };
  const reader = new FieldReader(top, '', problems);
  if (top['kind'] !== 'CredentialProviderConfig') problems.push('kind: want "CredentialProviderConfig"');
  if (!CONFIG_VERSIONS.includes(top['apiVersion']))
    problems.push(`apiVersion: want ${CONFIG_VERSIONS.join(', ')}`);
  const allowAttributes = allowTokens && top['apiVersion'] === `${GROUP}/v1`;
  const providers = reader.children('providers').map((fields) => toProvider(fields, allowAttributes));
  reader.refuseOthers(['kind', 'apiVersion', 'providers']);
  return problems.length === 0 ? { ok: true, providers } : { ok: false, problems };
}

/** What is wrong with providers as a whole, whichever files they come from. */
export function findProviderProblems(providers: readonly CredentialProvider[]): string[] {
  if (providers.length === 0) return ['providers: at least one is required'];
  const seen = new Set<string>();
  return providers.flatMap(({ name }) => {
    if (seen.has(name))
      return [`duplicate provider name ${JSON.stringify(name)} found in configuration file(s)`];
    seen.add(name);
    return [];
  });
}

function toProvider(fields: FieldReader, allowAttributes: boolean): CredentialProvider {
  const apiVersion = fields.text('apiVersion');
  if (!API_VERSIONS.includes(apiVersion))
    fields.complain('apiVersion', `want one of ${API_VERSIONS.join(', ')}`);
  const env = fields.children('env').map((one) => {
    one.refuseOthers(['name', 'value']);
    return { name: one.text('name'), value: one.text('value') };
  });
  const attributes = fields.child('tokenAttributes');
  const provider: CredentialProvider = {
    name: readName(fields),
    matchImages: readMatchImages(fields),
    defaultCacheMs: readCacheDuration(fields),
    apiVersion,
    args: fields.texts('args'),
    env,
    ...(attributes === undefined ? {} : { tokenAttributes: toTokenAttributes(attributes) }),
  };
  if (attributes !== undefined && !allowAttributes)
    fields.complain(
      'tokenAttributes',
      `needs a configuration of ${GROUP}/v1 and feature gate KubeletServiceAccountTokenForCredentialProviders`,
    );
  else if (attributes !== undefined && apiVersion !== TOKEN_API_VERSION)
    fields.complain('tokenAttributes', `is only supported for ${TOKEN_API_VERSION} API version`);
  fields.refuseOthers([
    'name',
    'matchImages',
    'defaultCacheDuration',
    'apiVersion',
    'args',
    'env',
    'tokenAttributes',
  ]);
  return provider;
}

function readName(fields: FieldReader): string {
  const name = fields.text('name');
  if (name === '') fields.complain('name', 'is required');
  if (name.includes('/')) fields.complain('name', "provider name cannot contain '/'");
  if (name.includes(' ')) fields.complain('name', 'provider name cannot contain spaces');
  if (name === '.' || name === '..') fields.complain('name', `provider name cannot be '${name}'`);
  return name;
}

function readMatchImages(fields: FieldReader): readonly string[] {
  const patterns = fields.texts('matchImages');
  if (patterns.length === 0) fields.complain('matchImages', 'at least 1 item in matchImages is required');
  for (const pattern of patterns)
    if (parseRegistryPattern(pattern) === undefined)
      fields.complain('matchImages', `match image is invalid: ${JSON.stringify(pattern)}`);
  return patterns;
}

function readCacheDuration(fields: FieldReader): number {
  const text = fields.text('defaultCacheDuration');
  if (text === '') {
    fields.complain('defaultCacheDuration', 'is required');
    return 0;
  }
  const nanos = parseDurationNanos(text);
  if (nanos === undefined) fields.complain('defaultCacheDuration', 'want a duration such as "1m30s"');
  else if (nanos < 0n) fields.complain('defaultCacheDuration', 'must be greater than or equal to 0');
  return Number(nanos ?? 0n) / 1e6;
}

function toTokenAttributes(fields: FieldReader): TokenAttributes {
  const audience = fields.text('serviceAccountTokenAudience');
  if (audience === '') fields.complain('serviceAccountTokenAudience', 'is required');
  const requireServiceAccount = fields.flag('requireServiceAccount');
  if (requireServiceAccount === undefined) fields.complain('requireServiceAccount', 'is required');
  const cacheType = fields.text('cacheType');
  if (!CACHE_TYPES.includes(cacheType)) fields.complain('cacheType', `want one of ${CACHE_TYPES.join(', ')}`);
  const requiredAnnotations = readAnnotationKeys(fields, 'requiredServiceAccountAnnotationKeys');
  const optionalAnnotations = readAnnotationKeys(fields, 'optionalServiceAccountAnnotationKeys');
  if (requireServiceAccount === false && requiredAnnotations.length > 0)
    fields.complain('requiredServiceAccountAnnotationKeys', 'needs requireServiceAccount true');
  const both = requiredAnnotations.filter((key) => optionalAnnotations.includes(key));
  if (both.length > 0)
    fields.complain('', `annotation keys cannot be both required and optional: ${both.join(', ')}`);
  fields.refuseOthers([
    'serviceAccountTokenAudience',
    'cacheType',
    'requireServiceAccount',
    'requiredServiceAccountAnnotationKeys',
    'optionalServiceAccountAnnotationKeys',
  ]);
  return {
    audience,
    cacheType: cacheType as TokenAttributes['cacheType'],
    requireServiceAccount: requireServiceAccount ?? true,
    requiredAnnotations,
    optionalAnnotations,
  };
}

function readAnnotationKeys(fields: FieldReader, name: string): readonly string[] {
  const keys = fields.texts(name);
  for (const [index, key] of keys.entries()) {
    for (const why of qualifiedNameFaults(key.toLowerCase()))
      fields.complain(name, `${JSON.stringify(key)}: ${why}`);
    if (keys.indexOf(key) !== index) fields.complain(name, `${JSON.stringify(key)} is repeated`);
  }
  return keys;
}
