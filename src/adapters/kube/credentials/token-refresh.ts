/** When a service account token is to be replaced, and how a request for one looks. */
import type { Pod } from '../../../core/api/pod.ts';

const MAX_AGE_MS = 24 * 3_600_000;
/** Of its life that a token is still good when a new one is asked for. */
const REST = 0.2;
/** The dates are the server's: a clock of ours that runs ahead must not make us ask without end. */
const MIN_KEEP_MS = 60_000;

/** The API's TokenRequest, bound to the pod: the token dies with it. */
export function toTokenRequest(
  { metadata }: Pod,
  audience: string,
  expirationSeconds: number | undefined,
): object {
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: {
      audiences: audience === '' ? [] : [audience],
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid },
    },
  };
}

/** At 80 % of its life or after a day, what comes first; `jitterMs` earlier, so that not all come at once. */
export function computeTokenRefresh(token: {
  readonly expiresAtMs: number;
  readonly ttlMs: number;
  readonly gotAtMs: number;
  readonly jitterMs: number;
}): number {
  const { expiresAtMs, ttlMs, gotAtMs, jitterMs } = token;
  const dueAtMs = Math.min(expiresAtMs - ttlMs + MAX_AGE_MS, expiresAtMs - REST * ttlMs);
  return Math.max(dueAtMs - jitterMs, gotAtMs + MIN_KEEP_MS);
}
