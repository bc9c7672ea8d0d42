/**
 * Service account tokens for pods. The source keeps them and asks for new
 * ones in time; a refusal carries the text the user sees. Never rejects.
 */

import type { Outcome } from '../../base/outcome.ts';
import { refuse } from '../../base/outcome.ts';
import type { Pod } from '../../core/api/pod.ts';

export interface TokenRequest {
  readonly pod: Pod;
  /** Empty leaves it to the API server. */
  readonly audience: string;
  readonly expirationSeconds: number | undefined;
}

export interface PodToken {
  readonly token: string;
  /** Known for tokens from the API server. */
  readonly expiresAtMs?: number;
  /** When to ask again; absent for a token that never has to be replaced. */
  readonly refreshAtMs?: number;
}

export interface TokenSource {
  token(request: TokenRequest, signal?: AbortSignal): Promise<Outcome<PodToken>>;
  /** Drops the tokens of a pod whose volumes are gone. */
  forget(podUid: string): void;
}

/** Standalone there are no tokens. */
export const noTokens: TokenSource = {
  token: async () => refuse('cannot use TokenManager when kubelet is in standalone mode'),
  forget: () => {},
};
