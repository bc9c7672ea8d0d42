/**
 * The guard of the main port: authenticates and authorizes the caller.
 * Every failure refuses the request: 401, 403, 429 or 500.
 */
import type { Logger } from '../../base/log.ts';
import { toErrorReply, toTextReply } from '../http/http-exchange.ts';
import { BUSY, type Guard } from '../http/reply-finder.ts';
import { toAccessAttributes } from './access-attributes.ts';
import type { Authorizer } from './access-authorizer.ts';
import type { RequestAuthenticator } from './request-authenticator.ts';

export interface AuthGuardSettings {
  readonly authenticator: Pick<RequestAuthenticator, 'authenticate'>;
  readonly authorize: Authorizer;
  readonly nodeName: string;
  readonly log: Logger;
}

export function createAuthGuard({ authenticator, authorize, nodeName, log }: AuthGuardSettings): Guard {
  return async (request) => {
    const { method, path, peer } = request;
    const found = await authenticator.authenticate(request);
    if ('problem' in found) {
      // No more than a debug line: every host on the network can cause it.
      log.debug({ file: 'auth-guard', level: 2 }, 'request refused', {
        method,
        path,
        from: peer?.address,
        reason: found.problem,
      });
      return { refusal: found.busy ? BUSY : toTextReply(401, 'Unauthorized') };
    }
    const { user } = found;
    const attempts = toAccessAttributes(method, path, nodeName);
    for (const attributes of attempts) {
      const { verb, subresource } = attributes;
      try {
        if (await authorize(user, attributes)) return { user };
      } catch (error) {
        const what = `user=${user.name}, verb=${verb}, resource=nodes, subresource=${subresource}`;
        log.error('cannot authorize a request', error, { user: user.name, verb, subresource });
        return { refusal: toErrorReply(500, `Authorization error (${what})`) };
      }
    }
    const names = attempts.map(({ subresource }) => subresource).join(' ');
    const what = `user=${user.name}, verb=${attempts[0].verb}, resource=nodes, subresource(s)=[${names}]`;
    log.debug({ file: 'auth-guard', level: 2 }, 'request forbidden', { method, path, user: user.name });
    return { refusal: toErrorReply(403, `Forbidden (${what})`) };
  };
}
