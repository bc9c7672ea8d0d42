/**
 * Finds the reply to one request: routes it, asks the guard, reads the body
 * within its limit and calls the handler. Nothing inside a route's part is
 * answered to a caller the guard refuses.
 */
import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../../ports/cluster/authentication.ts';
import { type HttpReply, type HttpRequest, toErrorReply } from './http-exchange.ts';
import { readPeerTls } from './listener-tls.ts';
import type { PeerCounts } from './peer-counts.ts';
import { readBody } from './read-body.ts';
import { parseTarget } from './request-target.ts';
import { findRoute, type Route } from './route-list.ts';

type Entry = { readonly user: UserInfo } | { readonly refusal: HttpReply };

/** Returns the caller, or the reply that refuses it. */
export type Guard = (request: HttpRequest, signal: AbortSignal) => Promise<Entry>;

/** Who a request comes from, as far as its socket goes, and its end. */
export interface Asking {
  readonly peer: string;
  /** Aborts with {@link ENDED} when the reply has been sent, or cannot be. */
  readonly signal: AbortSignal;
}

/** One for all requests: without it each makes an error of its own, with its stack. */
export const ENDED = new DOMException('the request has ended', 'AbortError');

export interface ReplyFinderSettings {
  readonly routes: readonly Route[];
  /** Without it every request is allowed. */
  readonly guard: Guard | undefined;
  /** Requests that the guard has not admitted yet. */
  readonly unknown: PeerCounts;
  readonly maxBodyBytes: number;
}

export const BUSY = toErrorReply(429, 'Too many requests, please try again later.');

export class ReplyFinder {
  readonly #settings: ReplyFinderSettings;

  constructor(settings: ReplyFinderSettings) {
    this.#settings = settings;
  }

  /** False: what no route upgrades is answered as the plain request it also is. */
  mayUpgrade(request: IncomingMessage): boolean {
    const target = parseTarget(request.url ?? '');
    if (target === undefined) return false;
    return this.#settings.routes.some(({ upgrades, path }) => upgrades && target.path.startsWith(path));
  }

  /** `head` is there when the client asks for another protocol. `observe` is called once a route owns the request. */
  async find(
    message: IncomingMessage,
    head: Buffer | undefined,
    asking: Asking,
    observe: (request: HttpRequest) => void,
  ): Promise<HttpReply> {
    const target = parseTarget(message.url ?? '');
    if (target === undefined) return toErrorReply(400, '400 Bad Request');
    const method = message.method ?? 'GET';
    const match = findRoute(this.#settings.routes, method, target.path, target.search);
    if (match.kind === 'reply' && !match.owned) return match.reply;
    const bare = { ...toRequest(message, method, target, head), body: new Uint8Array() };
    observe(bare);
    const entry = await this.#enter(bare, asking);
    if (entry !== undefined && 'refusal' in entry) return withoutBody(message, entry.refusal);
    if (match.kind === 'reply') return withoutBody(message, match.reply);
    const body = head === undefined ? await readBody(message, this.#settings.maxBodyBytes) : bare.body;
    if (body === undefined) return withoutBody(message, toErrorReply(413, '413 Request Entity Too Large'));
    return match.handle({ ...bare, ...entry, body, params: match.params }, asking.signal);
  }

  /** What the guard says; undefined without one. */
  async #enter(request: HttpRequest, { peer, signal }: Asking): Promise<Entry | undefined> {
    const { guard } = this.#settings;
    if (guard === undefined) return undefined;
    const release = this.#settings.unknown.take(peer);
    if (release === undefined) return { refusal: BUSY };
    try {
      return await guard(request, signal);
    } finally {
      release();
    }
  }
}

/** A connection with an unread body, of any length, serves no further request. */
export function withoutBody({ headers }: IncomingMessage, reply: HttpReply): HttpReply {
  const announced = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return announced ? { ...reply, headers: { ...reply.headers, connection: 'close' } } : reply;
}

function toRequest(
  message: IncomingMessage,
  method: string,
  target: Pick<HttpRequest, 'path' | 'query'>,
  head: Buffer | undefined,
): Omit<HttpRequest, 'body'> {
  const tls = readPeerTls(message.socket);
  const address = message.socket.remoteAddress ?? '';
  const upgrade = { rawHeaders: message.rawHeaders, target: message.url ?? '' };
  return {
    method,
    path: target.path,
    query: target.query,
    headers: message.headers,
    peer: tls === undefined ? { address } : { address, tls },
    ...(head === undefined ? {} : { upgrade }),
  };
}
