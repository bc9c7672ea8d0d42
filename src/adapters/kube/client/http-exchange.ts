/**
 * One HTTP request and its answer on an HTTP/2 session. Either the whole body
 * is collected, or, for a watch, the chunks of a good answer are handed on as
 * they come. Knows nothing of Kubernetes.
 *
 * Invariant: settles exactly once, and always when the signal aborts or the
 * session ends.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { onAbort } from '../../../base/async/on-abort.ts';
import { errorText } from '../../../base/errors.ts';

export interface ApiHttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** Takes the body of a good answer piece by piece; the response then has none. What it throws fails the request. */
  readonly onData?: (chunk: Buffer) => void;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How far a request got that has no answer. */
export type Delivery =
  /** No connection could be made. */
  | 'unconnected'
  /** The connection has as many requests as the server allows on it. */
  | 'full'
  /** The server certainly did not act on it. */
  | 'refused'
  | 'maybe';

/** No answer came. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly delivery: Delivery;

  constructor(delivery: Delivery, message: string) {
    super(message);
    this.delivery = delivery;
  }
}

/** Far above any list of one node; keeps a confused peer from filling the memory. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Sends the request. Rejects with TransportError, with what onData threw, or with `signal.reason`. */
export function runExchange(
  session: ClientHttp2Session,
  request: ApiHttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const stream = openStream(session, request);
  if (stream instanceof TransportError) return Promise.reject(stream);
  return new Promise((resolve, reject) => {
    const answer = new Answer(stream, request.onData);
    const cancel = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(signal.reason);
    };
    const listening = onAbort(signal, cancel);
    stream.once('close', () => {
      listening[Symbol.dispose]();
      const failure = answer.failure();
      if (failure === undefined) resolve(answer.response());
      else reject(failure);
    });
    stream.end(request.body);
  });
}

function openStream(
  session: ClientHttp2Session,
  request: ApiHttpRequest,
): ClientHttp2Stream | TransportError {
  try {
    const headers = { ':method': request.method, ':path': request.path, ...request.headers };
    return session.request(headers, { endStream: request.body === undefined });
  } catch (error) {
    // The session closed since it was chosen.
    return new TransportError('refused', errorText(error));
  }
}

/** Collects what comes back on one stream. */
class Answer {
  readonly #stream: ClientHttp2Stream;
  readonly #chunks: Buffer[] = [];
  readonly #onData: ((chunk: Buffer) => void) | undefined;
  #size = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #ended = false;
  #error: unknown;

  constructor(stream: ClientHttp2Stream, onData: ((chunk: Buffer) => void) | undefined) {
    this.#stream = stream;
    this.#onData = onData;
    stream.on('response', (headers) => {
      this.#status = headers[':status'] ?? 0;
      this.#headers = headers;
    });
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('end', () => {
      this.#ended = true;
    });
    stream.on('aborted', () => this.#fail(new TransportError('maybe', 'the connection was lost')));
    stream.on('error', (error) => this.#fail(new TransportError(this.#delivery(), errorText(error))));
  }

  failure(): unknown {
    if (this.#error !== undefined) return this.#error;
    const complete = this.#ended && this.#status !== 0 && this.#stream.rstCode === constants.NGHTTP2_NO_ERROR;
    return complete ? undefined : new TransportError(this.#delivery(), 'the stream ended without an answer');
  }

  response(): HttpResponse {
    return { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) };
  }

  #take(chunk: Buffer): void {
    if (this.#error !== undefined) return;
    try {
      if (this.#onData !== undefined && this.#status >= 200 && this.#status < 300) this.#onData(chunk);
      else this.#keep(chunk);
    } catch (error) {
      this.#fail(error);
      this.#stream.close(constants.NGHTTP2_CANCEL);
    }
  }

  #keep(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > MAX_BODY_BYTES)
      throw new TransportError('maybe', `the answer is larger than ${MAX_BODY_BYTES} bytes`);
    this.#chunks.push(chunk);
  }

  #fail(error: unknown): void {
    this.#error ??= error;
  }

  #delivery(): Delivery {
    return this.#stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? 'refused' : 'maybe';
  }
}
