/**
 * Who a caller of the agent's own API is. The review of a token is asked of
 * the API server; everything else is decided on the node.
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
  /** The token is nobody's. */
  | { readonly kind: 'rejected' }
  /** The reviewer could not tell, in its words; asking again may help. */
  | { readonly kind: 'failed'; readonly message: string };

export interface TokenReviewer {
  /** Rejects with AgentError when the reviewer cannot be asked. */
  reviewToken(token: string, options: { readonly signal: AbortSignal }): Promise<TokenVerdict>;
}
