/**
 * Credentials from the operator's plugins. An answer is kept as long as the
 * plugin says, for the image, the registry or everything; those who ask the
 * same at the same time share one run. With token attributes a plugin is asked
 * in the name of the pod's service account, and its answer is that account's.
 *
 * Invariant: a plugin that fails gives nothing; the pull goes on without it.
 */
import { createHash } from 'node:crypto';
import { SingleFlight } from '../../base/async/single-flight.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { CredentialProvider, TokenAttributes } from '../../core/image/credential-provider.ts';
import type { DockerConfig } from '../../core/image/docker-config.ts';
import type { KeyringPart } from '../../core/image/keyring.ts';
import {
  type ProviderResponse,
  parseProviderResponse,
  renderProviderRequest,
  type ServiceAccountProof,
  toCacheKey,
  toCacheKeys,
} from '../../core/image/provider-exchange.ts';
import type { PullCredentialSource } from '../../core/image/registry-credential.ts';
import { matchesRegistry } from '../../core/image/registry-pattern.ts';
import type { ServiceAccountReader } from '../../ports/cluster/service-account-reader.ts';
import type { TokenSource } from '../../ports/cluster/token-source.ts';
import type { ImageMeter } from '../../ports/image-meter.ts';
import type { Kit } from '../../ports/kit.ts';
import type { CredentialPlugins } from '../../ports/runtime/credential-plugins.ts';

const PURGE_MS = 15 * 60_000;

export interface CredentialProvidersParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly providers: readonly CredentialProvider[];
  readonly plugins: CredentialPlugins;
  readonly tokens: TokenSource;
  readonly accounts: ServiceAccountReader;
  readonly meter?: Pick<ImageMeter, 'pluginRan'>;
}

/** In whose name a plugin is asked. */
interface Identity {
  readonly source: PullCredentialSource;
  readonly proof?: ServiceAccountProof;
  /** Part of the cache key; empty for the node itself. */
  readonly cacheKey: string;
}

interface Kept {
  readonly config: DockerConfig;
  readonly expiresAtMs: number;
}

const NODE: Identity = { source: { kind: 'node' }, cacheKey: '' };

export class CredentialProviders {
  readonly #parts: CredentialProvidersParts;
  readonly #kept = new Map<string, Kept>();
  readonly #running = new SingleFlight<ProviderResponse>();
  #purgedAtMs: number;

  constructor(parts: CredentialProvidersParts) {
    this.#parts = parts;
    this.#purgedAtMs = parts.clock.steady();
  }

  /** What the plugins give for a repository, in the order of their configuration. Rejects only when `signal` aborted. */
  async find(pod: Pod, repository: string, signal: AbortSignal): Promise<KeyringPart[]> {
    const { providers, logger } = this.#parts;
    const parts: KeyringPart[] = [];
    for (const provider of providers) {
      if (!provider.matchImages.some((pattern) => matchesRegistry(pattern, repository))) continue;
      try {
        const part = await this.#ask(provider, pod, repository, signal);
        if (part !== undefined) parts.push(part);
      } catch (error) {
        signal.throwIfAborted();
        logger.warn('credential plugin failed, continuing without its credentials', {
          plugin: provider.name,
          image: repository,
          pod: podRef(pod),
          err: errorText(error),
        });
      }
    }
    return parts;
  }

  async #ask(
    provider: CredentialProvider,
    pod: Pod,
    repository: string,
    signal: AbortSignal,
  ): Promise<KeyringPart | undefined> {
    const identity = await this.#identify(provider, pod, signal);
    if (identity === undefined) return undefined;
    const kept = this.#findKept(provider, repository, identity);
    if (kept !== undefined) return { source: identity.source, config: kept };
    const { token = '', annotations = {} } = identity.proof ?? {};
    const sameQuestion = JSON.stringify([provider.name, repository, hash(token), sorted(annotations)]);
    const run = (): Promise<ProviderResponse> => this.#run(provider, repository, identity.proof);
    const response = await this.#running.run(sameQuestion, run, signal);
    signal.throwIfAborted();
    if (response === undefined) return undefined;
    refuseEcho(provider, response, token);
    this.#keep(provider, repository, identity, response);
    return { source: identity.source, config: response.config };
  }

  /** Undefined when this plugin is not for this pod. */
  async #identify(
    { tokenAttributes }: CredentialProvider,
    pod: Pod,
    signal: AbortSignal,
  ): Promise<Identity | undefined> {
    if (tokenAttributes === undefined) return NODE;
    const name = pod.spec.serviceAccountName ?? '';
    if (name === '') return tokenAttributes.requireServiceAccount ? undefined : NODE;
    const { namespace } = pod.metadata;
    const account = await this.#parts.accounts.read(namespace, name, signal);
    if (!account.ok) throw new AgentError('unavailable', `failed to get service account: ${account.message}`);
    const { uid, annotations: all } = account.value;
    const annotations = pickAnnotations(tokenAttributes, all);
    if (annotations === undefined) return undefined;
    const request = { pod, audience: tokenAttributes.audience, expirationSeconds: undefined };
    const answer = await this.#parts.tokens.token(request, signal);
    if (!answer.ok)
      throw new AgentError('unavailable', `failed to get service account token: ${answer.message}`);
    const { token } = answer.value;
    const perToken = tokenAttributes.cacheType === 'Token' ? hash(token) : '';
    return {
      source: { kind: 'service-account', uid, namespace, name },
      proof: { token, annotations },
      cacheKey: JSON.stringify([namespace, name, uid, sorted(annotations), perToken]),
    };
  }

  async #run(
    provider: CredentialProvider,
    repository: string,
    proof: ServiceAccountProof | undefined,
  ): Promise<ProviderResponse> {
    const request = renderProviderRequest(provider, repository, proof);
    const text = await this.#runMetered(provider, repository, request);
    const response = parseProviderResponse(text, provider);
    if (!response.ok) throw new AgentError('unknown', response.message);
    return response.value;
  }

  async #runMetered(provider: CredentialProvider, repository: string, request: string): Promise<string> {
    const { plugins, clock, meter } = this.#parts;
    const startedMs = clock.steady();
    let hasFailed = true;
    try {
      const text = await plugins.run(provider, repository, request);
      hasFailed = false;
      return text;
    } finally {
      meter?.pluginRan(provider.name, clock.steady() - startedMs, hasFailed);
    }
  }

  #findKept(
    { name }: CredentialProvider,
    repository: string,
    { cacheKey }: Identity,
  ): DockerConfig | undefined {
    const nowMs = this.#parts.clock.steady();
    if (nowMs - this.#purgedAtMs > PURGE_MS) {
      this.#purgedAtMs = nowMs;
      for (const [key, { expiresAtMs }] of this.#kept) if (nowMs > expiresAtMs) this.#kept.delete(key);
    }
    for (const base of toCacheKeys(repository)) {
      const kept = this.#kept.get(JSON.stringify([name, base, cacheKey]));
      if (kept !== undefined && nowMs <= kept.expiresAtMs) return kept.config;
    }
    return undefined;
  }

  #keep(
    { name, defaultCacheMs }: CredentialProvider,
    repository: string,
    { cacheKey }: Identity,
    response: ProviderResponse,
  ): void {
    const keepMs = response.cacheMs ?? defaultCacheMs;
    if (keepMs === 0) return;
    const key = JSON.stringify([name, toCacheKey(response, repository), cacheKey]);
    const expiresAtMs = this.#parts.clock.steady() + keepMs;
    this.#kept.set(key, { config: response.config, expiresAtMs });
  }
}

/** Undefined when a required one is missing: the account does not take part. */
function pickAnnotations(
  { requiredAnnotations, optionalAnnotations }: TokenAttributes,
  all: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  if (!requiredAnnotations.every((key) => Object.hasOwn(all, key))) return undefined;
  const wanted = [...requiredAnnotations, ...optionalAnnotations];
  return Object.fromEntries(
    wanted.flatMap((key) => (Object.hasOwn(all, key) ? [[key, all[key] ?? '']] : [])),
  );
}

/** A token kept for the whole account would outlive the pod it is bound to. */
function refuseEcho(
  { tokenAttributes }: CredentialProvider,
  { config }: ProviderResponse,
  token: string,
): void {
  if (token === '' || tokenAttributes?.cacheType === 'Token') return;
  if ([...config.values()].some(({ password }) => password === token))
    throw new AgentError(
      'failed-precondition',
      "credential provider plugin returned the service account token as the password which is not allowed when service account cache type is not set to 'Token'",
    );
}

function sorted(annotations: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1));
}

function hash(text: string): string {
  return text === '' ? '' : createHash('sha256').update(text).digest('hex');
}
