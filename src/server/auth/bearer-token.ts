/** The token a request carries, in its header or, from browsers, as a WebSocket sub-protocol. */
import type { HttpRequest } from '../http/http-exchange.ts';

export const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Undefined when there is none. Throws when there is one that cannot be read. */
export function readBearerToken({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const [scheme = '', token = ''] = String(headers['authorization'] ?? '')
    .trim()
    .split(' ');
  if (scheme.toLowerCase() === 'bearer' && token !== '') return token;
  return readProtocolToken(headers);
}

function readProtocolToken(headers: HttpRequest['headers']): string | undefined {
  if (String(headers['upgrade'] ?? '').toLowerCase() !== 'websocket') return undefined;
  const protocols = String(headers['sec-websocket-protocol'] ?? '').split(',');
  const tokens = protocols
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol.startsWith(TOKEN_PROTOCOL))
    .map((protocol) => protocol.slice(TOKEN_PROTOCOL.length));
  if (tokens.length === 0) return undefined;
  if (tokens.length > 1) throw new Error('multiple bearer token sub-protocols');
  const [encoded = ''] = tokens;
  const token = /^[A-Za-z0-9_-]+$/.test(encoded) ? Buffer.from(encoded, 'base64url').toString('utf8') : '';
  if (token === '' || token.includes('\uFFFD')) throw new Error('undecodable bearer token sub-protocol');
  return token;
}
