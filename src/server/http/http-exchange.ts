/**
 * One request and its reply as plain values, so that handlers are ordinary
 * functions and know nothing of sockets. Texts and headers are the ones
 * clients of the upstream kubelet see.
 */
import type { Duplex } from 'node:stream';
import type { UserInfo } from '../../ports/cluster/authentication.ts';

export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Decoded, with a leading `/`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /** The parts of the path that a route with `shapes` names. */
  readonly params?: Readonly<Record<string, string>>;
  readonly peer?: RequestPeer;
  /** The caller, once the guard has authenticated it. */
  readonly user?: UserInfo;
  /** Present when the client asks to turn the connection into another protocol, and only there. */
  readonly upgrade?: UpgradeRequest;
}

/** The other end of the connection. */
export interface RequestPeer {
  readonly address: string;
  readonly tls?: PeerTls;
}

export interface PeerTls {
  /** Presented by the client, DER, the leaf first; empty when there was none. */
  readonly chain: readonly Uint8Array[];
  /** Why the handshake could not verify the chain; undefined when it could. */
  readonly problem: string | undefined;
}

export interface UpgradeRequest {
  /** Names and values alternating, as received. */
  readonly rawHeaders: readonly string[];
  /** The target as received. */
  readonly target: string;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when `stream` or `takeOver` is there. */
  readonly body: string;
  /** Writes the body in chunks after the headers; an exception ends the connection. */
  readonly stream?: (sink: ReplySink, signal: AbortSignal) => Promise<void>;
  /** A client that takes nothing of the stream for so long loses its connection; never without. */
  readonly stallMs?: number | undefined;
  /**
   * Serves an upgrade on the bare connection, beginning with the status line.
   * Resolves when it is over; the listener then ends the connection and waits for the client to do so too.
   */
  readonly takeOver?: (connection: BareConnection, signal: AbortSignal) => Promise<void>;
}

/** Where a body goes. */
export interface ReplySink {
  /** Resolves when more may be written; rejects when the client has gone. */
  write(chunk: Uint8Array): Promise<void>;
  /** True where a chunk is the writer's again once its write has resolved. */
  readonly givesBack?: boolean;
}

export interface BareConnection {
  readonly socket: Duplex;
  /** What the client sent after its headers already. */
  readonly head: Uint8Array;
}

/** Aborts `signal` when the client has gone or the listener stops; the reply is then discarded. */
export type Handler = (request: HttpRequest, signal: AbortSignal) => HttpReply | Promise<HttpReply>;

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** Plain text, which a browser must not interpret as anything else. */
export function toTextReply(status: number, body: string): HttpReply {
  return { status, headers: { ...TEXT, 'x-content-type-options': 'nosniff' }, body };
}

/** Text that is streamed while it is produced. */
export function toStreamReply(stream: NonNullable<HttpReply['stream']>): HttpReply {
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: '', stream };
}

/** A file to be saved, not shown; the body or stream is the caller's to add. */
export function toFileReply(name: string): HttpReply {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body: '' };
}

/** One line that says what went wrong. */
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

/** The reply of a route for a path or method below it that it does not serve. */
export function toRouterReply(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { status, headers: { ...TEXT, ...headers }, body };
}
