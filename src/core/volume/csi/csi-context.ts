/**
 * What is passed to a driver about the pod that gets its volume: the identity of
 * the pod and tokens of its account, as far as the driver's CSIDriver object asks.
 */
import type { StringMap } from '../../api/meta.ts';
import type { Pod } from '../../api/pod.ts';
import type { CsiDriverSpec, CsiLifecycleMode } from '../../api/storage.ts';

const TOKENS_KEY = 'csi.storage.k8s.io/serviceAccount.tokens';

/** Empty unless the driver asks for it. */
export function toPodContext(
  driver: CsiDriverSpec | undefined,
  { metadata, spec }: Pod,
  mode: CsiLifecycleMode,
): StringMap {
  if (driver?.podInfoOnMount !== true) return {};
  return {
    'csi.storage.k8s.io/pod.name': metadata.name,
    'csi.storage.k8s.io/pod.namespace': metadata.namespace,
    'csi.storage.k8s.io/pod.uid': metadata.uid,
    'csi.storage.k8s.io/serviceAccount.name': spec.serviceAccountName ?? '',
    'csi.storage.k8s.io/ephemeral': String(mode === 'Ephemeral'),
  };
}

export interface AudienceToken {
  readonly audience: string;
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** Empty without tokens. Keys are sorted, as everything upstream writes as a map. */
export function renderTokens(tokens: readonly AudienceToken[]): StringMap {
  if (tokens.length === 0) return {};
  const sorted = tokens.toSorted((a, b) => (a.audience < b.audience ? -1 : 1));
  const byAudience = Object.fromEntries(
    sorted.map(({ audience, token, expirationTimestamp }) => [audience, { token, expirationTimestamp }]),
  );
  return { [TOKENS_KEY]: JSON.stringify(byAudience) };
}
