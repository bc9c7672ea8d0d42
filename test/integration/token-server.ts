/**
 * Gives registry tokens to who shows the right name and password, as the
 * token service beside a real registry does. Signs with a key of its own; the
 * registry is started with `authority` as the one to trust.
 */
import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSelfSigned } from '../../src/adapters/tls/self-signed-certificate.ts';

const ISSUER = 'kubelet-ts-test';

export class TokenServer {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** Who asked: the user name, or `anonymous`. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor(server: Server, authority: string) {
    this.#server = server;
    this.authority = authority;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  }

  static async listen(username: string, password: string): Promise<TokenServer> {
    const { certificate, key } = createSelfSigned('token-server', Date.now());
    const chain = certificate.match(/-----BEGIN[\s\S]*?END CERTIFICATE-----\n?/g) ?? [];
    const x5c = chain.map((pem) => new X509Certificate(pem).raw.toString('base64'));
    const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const signer = createPrivateKey(key);
    const server = createServer((request, response) => {
      const { authorization } = request.headers;
      subject.asked.push(authorization === undefined ? 'anonymous' : username);
      if (authorization !== wanted) return refuse(response);
      const header = { typ: 'JWT', alg: 'ES256', x5c };
      const text = [header, toClaims(request, username)].map(encode).join('.');
      const signature = sign('sha256', Buffer.from(text), { key: signer, dsaEncoding: 'ieee-p1363' });
      const token = `${text}.${signature.toString('base64url')}`;
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ token, expires_in: 300 }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const subject = new TokenServer(server, chain.at(-1) ?? '');
    return subject;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

function refuse(response: ServerResponse): void {
  response.writeHead(401, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ details: 'incorrect username or password' }));
}

/** Whatever is asked for is granted; the tests are about who asks. */
function toClaims(request: IncomingMessage, subject: string): object {
  const query = new URL(request.url ?? '', 'http://localhost').searchParams;
  const access = query.getAll('scope').flatMap((scope) => {
    const [, type, name, actions] = /^(\w+):(.*):([\w,]+)$/.exec(scope) ?? [];
    return name === undefined ? [] : [{ type, name, actions: (actions ?? '').split(',') }];
  });
  const nowSeconds = Math.floor(Date.now() / 1000);
  return {
    iss: ISSUER,
    sub: subject,
    aud: query.get('service'),
    exp: nowSeconds + 300,
    nbf: nowSeconds - 10,
    iat: nowSeconds,
    jti: `${nowSeconds}-${Math.random()}`,
    access,
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
