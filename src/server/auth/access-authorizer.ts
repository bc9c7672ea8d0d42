/**
 * Whether a user may do something: asked of the API server and cached, allowed
 * and denied each for its own time. Attributes of unusual length are not
 * cached, so that a caller cannot fill the memory with long names.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import type { UserInfo } from '../../ports/cluster/authentication.ts';
import type { AccessAttributes, AccessReviewer } from '../../ports/cluster/authorization.ts';
import { askAgain } from './ask-again.ts';
import { ExpiringCache } from './expiring-cache.ts';

const MAX_ENTRIES = 8192;
const MAX_KEY_BYTES = 10_000;
const REVIEW_TIMEOUT_MS = 30_000;

/** Rejects when the review fails. */
export type Authorizer = (user: UserInfo, attributes: AccessAttributes) => Promise<boolean>;

/** Allows every authenticated user. */
export const allowAlways: Authorizer = async () => true;

export interface AccessAuthorizerSettings {
  readonly reviewer: AccessReviewer;
  readonly allowedTtlMs: number;
  readonly refusedTtlMs: number;
  readonly clock: Clock;
  readonly random: () => number;
}

export function createAccessAuthorizer(settings: AccessAuthorizerSettings): Authorizer {
  const { clock, allowedTtlMs, refusedTtlMs } = settings;
  const cache = new ExpiringCache<boolean>(clock, MAX_ENTRIES);
  return (user, attributes) => {
    const key = JSON.stringify([user, attributes]);
    const cacheable = Buffer.byteLength(key) < MAX_KEY_BYTES;
    return cache.get(key, async () => {
      const value = await review(settings, user, attributes);
      return { value, keepMs: cacheable ? (value ? allowedTtlMs : refusedTtlMs) : 0 };
    });
  };
}

async function review(
  { reviewer, clock, random }: AccessAuthorizerSettings,
  user: UserInfo,
  attributes: AccessAttributes,
): Promise<boolean> {
  using deadline = new Deadline(clock, { timeoutMs: REVIEW_TIMEOUT_MS });
  const { signal } = deadline;
  const ask = (): Promise<{ allowed: boolean }> => reviewer.reviewAccess(user, attributes, { signal });
  return (await askAgain(ask, { clock, random, signal })).allowed;
}
