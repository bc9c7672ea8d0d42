/**
 * Bearer tokens, reviewed by the API server. Answers are cached under a
 * keyed hash of the token, so that memory holds no credential; failures are
 * not cached.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { AgentError } from '../../base/errors.ts';
import type { TokenReviewer, UserInfo } from '../../ports/cluster/authentication.ts';
import { askAgain } from './ask-again.ts';
import { ExpiringCache } from './expiring-cache.ts';
import { ReviewRates } from './review-rates.ts';

const MAX_ENTRIES = 8192;
/** One review serves all waiting callers; it times out by itself when the server hangs. */
const REVIEW_TIMEOUT_MS = 30_000;

/** Observes the token cache, for metrics. */
export interface TokenCacheMeter {
  /** A token was looked up; `hit` when the answer was cached. */
  asked(hit: boolean, durationMs: number): void;
  /** The number of lookups under way changed by 1 or -1. */
  active(what: 'blocked' | 'in_flight', by: 1 | -1): void;
  fetched(ok: boolean): void;
}

export interface TokenAuthenticatorSettings {
  readonly reviewer: TokenReviewer;
  readonly cacheTtlMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly meter?: TokenCacheMeter;
}

export class TokenAuthenticator {
  readonly #settings: TokenAuthenticatorSettings;
  readonly #cache: ExpiringCache<UserInfo | undefined>;
  readonly #secret = randomBytes(32);
  readonly #rates: ReviewRates;

  constructor(settings: TokenAuthenticatorSettings) {
    this.#settings = settings;
    this.#cache = new ExpiringCache(settings.clock, MAX_ENTRIES);
    this.#rates = new ReviewRates(settings.clock);
  }

  /**
   * Undefined for an invalid token. Rejects when the review fails, with the code `too-many-requests` when
   * `peer` has caused more reviews than its share; a remembered answer costs no review.
   */
  async authenticate(token: string, peer: string): Promise<UserInfo | undefined> {
    const { clock, meter, cacheTtlMs } = this.#settings;
    const key = createHmac('sha256', this.#secret).update(token).digest('base64');
    const hit = this.#cache.has(key);
    const startedAtMs = clock.steady();
    if (!hit) meter?.active('blocked', 1);
    try {
      return await this.#cache.get(key, async () => ({
        value: await this.#fetch(token, peer),
        keepMs: cacheTtlMs,
      }));
    } finally {
      if (!hit) meter?.active('blocked', -1);
      meter?.asked(hit, clock.steady() - startedAtMs);
    }
  }

  async #fetch(token: string, peer: string): Promise<UserInfo | undefined> {
    const { meter } = this.#settings;
    if (!this.#rates.tryTake(peer))
      throw new AgentError('too-many-requests', 'cannot review a token: too many reviews');
    let ok = false;
    meter?.active('in_flight', 1);
    try {
      const user = await this.#review(token);
      ok = true;
      return user;
    } finally {
      meter?.active('in_flight', -1);
      meter?.fetched(ok);
    }
  }

  async #review(token: string): Promise<UserInfo | undefined> {
    const { reviewer, clock, random } = this.#settings;
    // Without the caller's signal: others may be waiting for the same answer.
    using deadline = new Deadline(clock, { timeoutMs: REVIEW_TIMEOUT_MS });
    const { signal } = deadline;
    const ask = (): ReturnType<typeof reviewer.reviewToken> => reviewer.reviewToken(token, { signal });
    const verdict = await askAgain(ask, { clock, random, signal });
    if (verdict.kind === 'failed') throw new Error(verdict.message);
    return verdict.kind === 'authenticated' ? verdict.user : undefined;
  }
}
