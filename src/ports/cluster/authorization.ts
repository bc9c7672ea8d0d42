/**
 * Whether a caller of the agent's own API may do what it asks for: the
 * question as put to the API server (SubjectAccessReview).
 */
import type { UserInfo } from './authentication.ts';

/** What is asked for. Always about this node: resource `nodes`, API version v1. */
export interface AccessAttributes {
  /** Empty for methods that have no verb. */
  readonly verb: string;
  readonly subresource: string;
  readonly nodeName: string;
}

export interface AccessVerdict {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface AccessReviewer {
  /** Rejects with AgentError when the reviewer cannot be reached or the review fails. */
  reviewAccess(
    user: UserInfo,
    attributes: AccessAttributes,
    options: { readonly signal: AbortSignal },
  ): Promise<AccessVerdict>;
}
