/**
 * Who a caller of the agent's own API is. Tokens are reviewed by the API
 * server; everything else is decided on the node.
 */

/** An identity, as the API's reviews carry it. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export type TokenVerdict =
  | { readonly kind: 'authenticated'; readonly user: UserInfo }
  /** The token is invalid. */
  | { readonly kind: 'rejected' }
  /** The review failed, with the reviewer's message; a retry may help. */
  | { readonly kind: 'failed'; readonly message: string };

export interface TokenReviewer {
  /** Rejects with AgentError when the reviewer cannot be asked. */
  reviewToken(token: string, options: { readonly signal: AbortSignal }): Promise<TokenVerdict>;
}
