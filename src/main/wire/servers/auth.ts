/** Who may ask the main server, from the configuration. Fails closed: a way to know callers that cannot work stops the start. */
import { AgentError } from '../../../base/errors.ts';
import type { ApiServer } from '../../../ports/cluster/api-server.ts';
import {
  type Authorizer,
  allowAlways,
  createAccessAuthorizer,
} from '../../../server/auth/access-authorizer.ts';
import { ApiReviews } from '../../../server/auth/api-reviews.ts';
import { createAuthGuard } from '../../../server/auth/auth-guard.ts';
import { RequestAuthenticator } from '../../../server/auth/request-authenticator.ts';
import { TokenAuthenticator } from '../../../server/auth/token-authenticator.ts';
import type { MainServerSettings } from '../../../server/main-server.ts';
import { durationMs } from '../../config/parse-duration.ts';
import { AuthMetrics } from '../../metrics/auth-metrics.ts';
import type { Foundation } from '../foundation.ts';

/** `api` is where tokens and access are reviewed; undefined standalone. Throws AgentError when it is needed and missing. */
export function wireGuard(
  foundation: Foundation,
  nodeName: string,
  api: Pick<ApiServer, 'create'> | undefined,
): MainServerSettings['guard'] {
  const { loaded, clock, logger, metrics } = foundation;
  const { authentication } = loaded.config;
  const counted = new AuthMetrics(metrics.registry, clock);
  const reviews = api === undefined ? undefined : new ApiReviews(counted.reviews(api));
  const authenticator = new RequestAuthenticator({
    certificates: authentication.x509.clientCAFile !== '',
    anonymous: authentication.anonymous.enabled,
    onCertificate: (expiresAtMs) => counted.certificate(expiresAtMs),
    clock,
    tokens: wireTokens(foundation, reviews, counted),
  });
  const authorize = wireAuthorizer(foundation, reviews);
  return createAuthGuard({ authenticator, authorize, nodeName, log: logger });
}

function wireTokens(
  { loaded, clock }: Foundation,
  reviewer: ApiReviews | undefined,
  counted: AuthMetrics,
): TokenAuthenticator | undefined {
  const { enabled, cacheTTL } = loaded.config.authentication.webhook;
  if (!enabled) return undefined;
  if (reviewer === undefined) throw needsApi('authentication.webhook.enabled');
  return new TokenAuthenticator({
    reviewer,
    cacheTtlMs: durationMs(cacheTTL),
    clock,
    random: Math.random,
    meter: counted.tokenCache(),
  });
}

function wireAuthorizer({ loaded, clock }: Foundation, reviewer: ApiReviews | undefined): Authorizer {
  const { mode, webhook } = loaded.config.authorization;
  if (mode === 'AlwaysAllow') return allowAlways;
  if (reviewer === undefined) throw needsApi('authorization.mode');
  return createAccessAuthorizer({
    reviewer,
    allowedTtlMs: durationMs(webhook.cacheAuthorizedTTL),
    refusedTtlMs: durationMs(webhook.cacheUnauthorizedTTL),
    clock,
    random: Math.random,
  });
}

function needsApi(field: string): AgentError {
  return new AgentError('failed-precondition', `cannot open the main port: ${field} needs an API server`);
}
