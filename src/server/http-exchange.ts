/**
 * One request and its reply as plain values, so that handlers are ordinary
 * functions and know nothing of sockets. Texts and headers are the ones
 * clients of the upstream kubelet see.
 */

export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Decoded, with a leading `/`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Aborts `signal` when the client has gone or the listener stops; the reply is then of no interest. */
export type Handler = (request: HttpRequest, signal: AbortSignal) => HttpReply | Promise<HttpReply>;

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** Plain text, which a browser must not take for anything else. */
export function toTextReply(status: number, body: string): HttpReply {
  return { status, headers: { ...TEXT, 'x-content-type-options': 'nosniff' }, body };
}

/** One line that tells what went wrong. */
export function toErrorReply(status: number, message: string): HttpReply {
  return toTextReply(status, `${message}\n`);
}

/** Compact JSON on one line. */
export function toJsonReply(document: unknown): HttpReply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `${JSON.stringify(document)}\n`,
  };
}

/** What a router says about a path or method it knows its own part of. */
export function toRouterReply(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { status, headers: { ...TEXT, ...headers }, body };
}
