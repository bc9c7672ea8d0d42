/**
 * Reviews of tokens and access by the API server, over the port that reaches
 * it. Only translates; caching and retries are the callers' work.
 */
import { SUBJECT_ACCESS_REVIEWS, TOKEN_REVIEWS } from '../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import type { TokenReviewer, TokenVerdict, UserInfo } from '../../ports/cluster/authentication.ts';
import type { AccessAttributes, AccessReviewer, AccessVerdict } from '../../ports/cluster/authorization.ts';

interface TokenReviewAnswer {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly error?: string;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[] | null;
      readonly extra?: Readonly<Record<string, readonly string[]>> | null;
    };
  };
}

interface AccessReviewAnswer {
  readonly status?: {
    readonly allowed?: boolean;
    readonly reason?: string;
    readonly evaluationError?: string;
  };
}

export class ApiReviews implements TokenReviewer, AccessReviewer {
  readonly #api: Pick<ApiServer, 'create'>;

  constructor(api: Pick<ApiServer, 'create'>) {
    this.#api = api;
  }

  async reviewToken(token: string, options: { readonly signal: AbortSignal }): Promise<TokenVerdict> {
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token },
    };
    const { status = {} } = await this.#api.create<TokenReviewAnswer>(TOKEN_REVIEWS, review, options);
    if (status.authenticated !== true)
      return status.error ? { kind: 'failed', message: status.error } : { kind: 'rejected' };
    const { username = '', uid = '', groups, extra } = status.user ?? {};
    return { kind: 'authenticated', user: { name: username, uid, groups: groups ?? [], extra: extra ?? {} } };
  }

  async reviewAccess(
    user: UserInfo,
    { verb, subresource, nodeName }: AccessAttributes,
    options: { readonly signal: AbortSignal },
  ): Promise<AccessVerdict> {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        user: user.name,
        uid: user.uid,
        groups: user.groups,
        extra: user.extra,
        resourceAttributes: { verb, version: 'v1', resource: 'nodes', subresource, name: nodeName },
      },
    };
    const { status = {} } = await this.#api.create<AccessReviewAnswer>(
      SUBJECT_ACCESS_REVIEWS,
      review,
      options,
    );
    // An evaluation error beside a denial only adds a reason: it is still a denial.
    return { allowed: status.allowed === true, reason: status.reason ?? status.evaluationError ?? '' };
  }
}
