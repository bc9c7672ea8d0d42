/**
 * Authenticates the caller: client certificate, then token, then anonymous.
 *
 *   certificate ok ─────────────► that user
 *   certificate bad, token ok ──► the token's user
 *   anything bad ───────────────► refused (never anonymous)
 *   no credentials ─────────────► anonymous if allowed, else refused
 */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/async/clock.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import type { UserInfo } from '../../ports/cluster/authentication.ts';
import type { HttpRequest } from '../http/http-exchange.ts';
import { toPeer } from '../http/peer-counts.ts';
import { readBearerToken } from './bearer-token.ts';
import { identifyCertificate } from './certificate-identity.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

const AUTHENTICATED = 'system:authenticated';
const ANONYMOUS: UserInfo = {
  name: 'system:anonymous',
  uid: '',
  groups: ['system:unauthenticated'],
  extra: {},
};

export interface RequestAuthenticatorSettings {
  /** True when client certificates are requested. */
  readonly certificates: boolean;
  readonly tokens?: Pick<TokenAuthenticator, 'authenticate'> | undefined;
  readonly anonymous: boolean;
  /** Called with the expiry of a caller's certificate. */
  readonly onCertificate?: (expiresAtMs: number) => void;
  readonly clock: Clock;
}

export type Authentication =
  | { readonly user: UserInfo }
  /** The text is for the log only. `busy`: the same credentials may do later. */
  | { readonly problem: string; readonly busy?: true };

export class RequestAuthenticator {
  readonly #settings: RequestAuthenticatorSettings;

  constructor(settings: RequestAuthenticatorSettings) {
    this.#settings = settings;
  }

  /** Never rejects: a failure is a refusal. */
  async authenticate(request: Pick<HttpRequest, 'headers' | 'peer'>): Promise<Authentication> {
    const problems: string[] = [];
    let busy = false;
    for (const method of [this.#byCertificate, this.#byToken]) {
      try {
        const user = await method.call(this, request);
        if (user !== undefined) return { user: toAuthenticated(user) };
      } catch (error) {
        problems.push(errorText(error));
        busy ||= hasCode(error, 'too-many-requests');
      }
    }
    const problem = problems.join('; ');
    if (problems.length > 0) return busy ? { problem, busy } : { problem };
    return this.#settings.anonymous ? { user: ANONYMOUS } : { problem: 'no credentials' };
  }

  async #byCertificate({ peer }: Pick<HttpRequest, 'peer'>): Promise<UserInfo | undefined> {
    if (!this.#settings.certificates || peer?.tls === undefined) return undefined;
    const { clock, onCertificate } = this.#settings;
    const user = identifyCertificate(peer.tls, clock.now());
    const [leaf] = peer.tls.chain;
    if (user !== undefined && leaf !== undefined)
      onCertificate?.(new X509Certificate(leaf).validToDate.getTime());
    return user;
  }

  async #byToken(request: Pick<HttpRequest, 'headers' | 'peer'>): Promise<UserInfo | undefined> {
    if (this.#settings.tokens === undefined) return undefined;
    const token = readBearerToken(request);
    if (token === undefined) return undefined;
    const user = await this.#settings.tokens.authenticate(token, toPeer(request.peer?.address));
    if (user === undefined) throw new Error('invalid bearer token');
    return user;
  }
}

/** No credential may claim the group of unauthenticated users. */
function toAuthenticated(user: UserInfo): UserInfo {
  const { groups } = user;
  return groups.includes(AUTHENTICATED) || groups.includes('system:unauthenticated')
    ? user
    : { ...user, groups: [...groups, AUTHENTICATED] };
}
