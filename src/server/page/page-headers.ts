/** Headers of every reply of the page: nothing of elsewhere is loaded, framed, kept or guessed. */
import type { HttpReply } from '../http/http-exchange.ts';
import { STYLE_HASH } from './asset/style.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src '${STYLE_HASH}'`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  // A process of its own, apart from other servers on this host. A policy for openers would do that too, but costs a
  // browser a change of process before the first paint; what a window that opened this page can do is send it elsewhere.
  'origin-agent-cluster': '?1',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** A reader who takes nothing for so long is dropped. */
export const STALL_MS = 30_000;

export function withPageHeaders(reply: HttpReply): HttpReply {
  return { ...reply, headers: { ...reply.headers, ...HEADERS } };
}

export function toPageReply(
  status: number,
  type: 'text/html' | 'text/javascript' | 'text/plain' | 'image/svg+xml',
  body: string,
): HttpReply {
  return withPageHeaders({ status, headers: { 'content-type': `${type}; charset=utf-8` }, body });
}

/** A page that is sent while it is made. */
export function toPageStream(status: number, stream: NonNullable<HttpReply['stream']>): HttpReply {
  return { ...toPageReply(status, 'text/html', ''), stallMs: STALL_MS, stream };
}
