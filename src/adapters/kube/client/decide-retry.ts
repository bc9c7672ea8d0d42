/** Whether the client itself tries a failed call again, and when. Everything else is the caller's decision. */
import type { ApiStatus } from '../../../ports/cluster/api-server.ts';
import type { Delivery } from './http-exchange.ts';

export type Failure =
  | { readonly kind: 'answered'; readonly status: ApiStatus }
  | { readonly kind: 'unanswered'; readonly delivery: Delivery };

/** Tries in all when the server asks to come back later. */
const MAX_TRIES = 10;
/** Tries in all when a connection broke: the second one is on a new connection. */
const MAX_DELIVERY_TRIES = 3;
const MAX_WAIT_SECONDS = 60;

/**
 * Milliseconds to wait before the next try, or undefined to give up.
 * `tries` counts those made. A call that may have been carried out is only
 * repeated when repeating is harmless (`idempotent`).
 */
export function decideRetry(
  failure: Failure,
  tries: number,
  idempotent: boolean,
  random: number,
): number | undefined {
  if (failure.kind === 'unanswered') {
    // Making a connection has its own back-off; a caller that wants to wait does so.
    if (failure.delivery === 'unconnected' || tries >= MAX_DELIVERY_TRIES) return undefined;
    return failure.delivery !== 'maybe' || idempotent ? 0 : undefined;
  }
  const { code, retryAfterSeconds } = failure.status;
  if (tries >= MAX_TRIES) return undefined;
  const asksToWait = code === 429 || (code >= 500 && retryAfterSeconds !== undefined);
  if (!asksToWait) return undefined;
  const seconds = Math.min(retryAfterSeconds ?? 1, MAX_WAIT_SECONDS);
  // Later than asked, never earlier: all other clients got the same second.
  return seconds * 1000 * (1 + 0.25 * random);
}
