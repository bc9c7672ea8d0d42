/**
 * Service account tokens from the API server, bound to their pod and kept
 * until they are to be replaced. While no new one is available, the old one
 * serves as long as it is good.
 *
 * Invariant: nothing is kept of a pod after forget(), also when an answer for
 * it comes later.
 */
import type { Clock } from '../../../base/async/clock.ts';
import { SingleFlight } from '../../../base/async/single-flight.ts';
import { AgentError, errorText, hasCode } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import type { Pod } from '../../../core/api/pod.ts';
import { podRef } from '../../../core/api/pod-identity.ts';
import { SERVICE_ACCOUNTS } from '../../../ports/cluster/api-resource.ts';
import { type ApiCallOptions, type ApiServer, apiStatusOf } from '../../../ports/cluster/api-server.ts';
import { REMEMBERED_WAIT_MS, type RememberedToken } from '../../../ports/cluster/remembered-facts.ts';
import type { PodToken, TokenRequest, TokenSource } from '../../../ports/cluster/token-source.ts';
import { computeTokenRefresh, toTokenRequest } from '../credentials/token-refresh.ts';

const MAX_JITTER_SECONDS = 10;
/** How soon a refresh that failed is tried again while the old token is good. */
const RETRY_MS = 60_000;
const NO_ENDPOINT = 'the API server does not have TokenRequest endpoints enabled';

export interface ApiTokenSourceParts {
  readonly api: Pick<ApiServer, 'createSubresource'>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  /** There is a new token. */
  readonly onChange?: () => void;
}

interface TokenAnswer {
  readonly spec?: { readonly expirationSeconds?: number };
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string };
}

interface KeptToken {
  readonly token: string;
  readonly expiresAtMs: number;
  /** Infinite for a token that never has to be replaced. */
  readonly refreshAtMs: number;
  /** From an earlier run: it serves, even expired, while the API server is away. */
  readonly isRestored?: boolean;
}

export class ApiTokenSource implements TokenSource {
  readonly #parts: ApiTokenSourceParts;
  /** By pod UID, then by what was asked for. */
  readonly #kept = new Map<string, Map<string, KeptToken>>();
  readonly #asking = new SingleFlight<Outcome<PodToken>>();

  constructor(parts: ApiTokenSourceParts) {
    this.#parts = parts;
  }

  async token(request: TokenRequest, signal?: AbortSignal): Promise<Outcome<PodToken>> {
    const { uid } = request.pod.metadata;
    const key = keyOf(request);
    const ofPod = this.#kept.get(uid) ?? new Map<string, KeptToken>();
    this.#kept.set(uid, ofPod);
    const kept = ofPod.get(key);
    if (kept !== undefined && this.#parts.clock.now() < kept.refreshAtMs) return accept(toPodToken(kept));
    const renew = (): Promise<Outcome<PodToken>> => this.#renew(request, ofPod, key, kept);
    const answer = await this.#asking.run(`${uid}\n${key}`, renew, signal);
    return answer ?? refuse('failed to fetch token: cancelled');
  }

  /** Takes the tokens of an earlier run; a new one is asked for at the first use of each. */
  restore(tokens: readonly RememberedToken[]): void {
    for (const { podUid, key, token, expiresAtMs } of tokens) {
      const ofPod = this.#kept.get(podUid) ?? new Map<string, KeptToken>();
      this.#kept.set(podUid, ofPod);
      ofPod.set(key, { token, expiresAtMs, refreshAtMs: 0, isRestored: true });
    }
  }

  /** The tokens of these pods, for a later run. */
  remember(podUids: readonly string[]): RememberedToken[] {
    return podUids.flatMap((podUid) =>
      [...(this.#kept.get(podUid) ?? [])].map(([key, { token, expiresAtMs }]) => ({
        podUid,
        key,
        token,
        expiresAtMs,
      })),
    );
  }

  forget(podUid: string): void {
    this.#kept.delete(podUid);
  }

  /** Writes into the pod's own map: when the pod was forgotten in between, the map is garbage. */
  async #renew(
    request: TokenRequest,
    ofPod: Map<string, KeptToken>,
    key: string,
    old: KeptToken | undefined,
  ): Promise<Outcome<PodToken>> {
    const { clock, logger } = this.#parts;
    try {
      const fresh = await this.#ask(request, old?.isRestored ? { timeoutMs: REMEMBERED_WAIT_MS } : {});
      ofPod.set(key, fresh);
      this.#parts.onChange?.();
      return accept(toPodToken(fresh));
    } catch (error) {
      const why = describe(error);
      const nowMs = clock.now();
      if (old === undefined) return refuse(`failed to fetch token: ${why}`);
      if (old.isRestored && isAway(error)) {
        // Expired or not: no server is there to refuse it, and the pod can at least start.
        const kept = { ...old, refreshAtMs: nowMs + RETRY_MS };
        ofPod.set(key, kept);
        return accept(toPodToken(kept));
      }
      if (nowMs >= old.expiresAtMs) {
        ofPod.delete(key);
        return refuse(`token ${key} expired and refresh failed: ${why}`);
      }
      logger.warn('cannot renew a token, the old one serves on', { pod: podRef(request.pod), err: why });
      const kept = { ...old, refreshAtMs: Math.min(nowMs + RETRY_MS, old.expiresAtMs) };
      ofPod.set(key, kept);
      return accept(toPodToken(kept));
    }
  }

  async #ask(
    { pod, audience, expirationSeconds }: TokenRequest,
    options: ApiCallOptions,
  ): Promise<KeptToken> {
    const { api, clock, random } = this.#parts;
    const name = accountOf(pod);
    const ref = { resource: SERVICE_ACCOUNTS, namespace: pod.metadata.namespace, name };
    const body = toTokenRequest(pod, audience, expirationSeconds);
    const { spec, status } = await api.createSubresource<TokenAnswer>(ref, 'token', body, options);
    const { token = '', expirationTimestamp = '' } = status ?? {};
    const expiresAtMs = Date.parse(expirationTimestamp);
    if (token === '' || Number.isNaN(expiresAtMs))
      throw new AgentError('unknown', 'the answer of the API server has no token');
    const jitterMs = Math.floor(random() * MAX_JITTER_SECONDS) * 1000;
    const ttlMs = (spec?.expirationSeconds ?? Number.NaN) * 1000;
    const refreshAtMs = Number.isNaN(ttlMs)
      ? Number.POSITIVE_INFINITY
      : computeTokenRefresh({ expiresAtMs, ttlMs, gotAtMs: clock.now(), jitterMs });
    return { token, expiresAtMs, refreshAtMs };
  }
}

function isAway(error: unknown): boolean {
  return hasCode(error, 'unavailable') || hasCode(error, 'deadline-exceeded');
}

/** The account and what was asked of it; the pod is identified by its UID. */
function keyOf({ pod, audience, expirationSeconds }: TokenRequest): string {
  return JSON.stringify([accountOf(pod), pod.metadata.namespace, audience, expirationSeconds ?? 0]);
}

function accountOf({ spec }: Pod): string {
  return spec.serviceAccountName || 'default';
}

function toPodToken({ token, expiresAtMs, refreshAtMs }: KeptToken): PodToken {
  return { token, expiresAtMs, ...(Number.isFinite(refreshAtMs) ? { refreshAtMs } : {}) };
}

/** A 404 that names no object is the path's: this server gives no tokens. */
function describe(error: unknown): string {
  const status = apiStatusOf(error);
  if (status?.code === 404 && status.reason !== 'NotFound') return NO_ENDPOINT;
  return status?.message ?? errorText(error);
}
