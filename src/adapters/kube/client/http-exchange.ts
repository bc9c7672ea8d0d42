/**
 * One HTTP request and its answer on an HTTP/2 session. Either the whole body
 * is collected, or, for a watch, the chunks of a good answer are handed on as
 * they come. Knows nothing of Kubernetes.
 *
 * Invariant: settles exactly once, and always when the signal aborts or the
 * session ends.
 */
import { onAbort } from '../../../base/async/on-abort.ts';
import { errorText } from '../../../base/errors.ts';
import { H2Code } from '../../h2/frame.ts';
import type { H2Session } from '../../h2/h2-session.ts';
import type { H2Stream, StreamListener } from '../../h2/h2-stream.ts';
import type { RequestHead } from './request-head.ts';

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
  readonly headers: ReadonlyMap<string, string>;
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
const NOTHING: Buffer = Buffer.alloc(0);
const NO_HEADERS: HttpResponse['headers'] = new Map();
const STATUS = /^[2-5]\d\d$/;
/** Answers without a body, whatever length their head names. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

export interface ExchangePlace {
  readonly session: H2Session;
  readonly head: RequestHead;
}

/** Sends the request. Rejects with TransportError, with what onData threw, or with `signal.reason`. */
export function runExchange(
  place: ExchangePlace,
  request: ApiHttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const exchange = new Exchange(place.session, request.onData);
  const { body } = request;
  try {
    exchange.start(place.head.encode(request), body === undefined ? NOTHING : Buffer.from(body), signal);
  } catch (error) {
    return Promise.reject(new TransportError('refused', errorText(error)));
  }
  return exchange.done;
}

/** Collects what comes back on one stream. */
class Exchange implements StreamListener {
  readonly #session: H2Session;
  readonly #onData: ((chunk: Buffer) => void) | undefined;
  readonly #done = Promise.withResolvers<HttpResponse>();
  readonly #chunks: Buffer[] = [];
  #listening: Disposable | undefined;
  #stream: H2Stream | undefined;
  #size = 0;
  #status = 0;
  #headers = NO_HEADERS;
  #isOver = false;

  constructor(session: H2Session, onData: ((chunk: Buffer) => void) | undefined) {
    this.#session = session;
    this.#onData = onData;
  }

  get done(): Promise<HttpResponse> {
    return this.#done.promise;
  }

  /** Throws when the request cannot be sent. */
  start(head: Buffer, body: Buffer, signal: AbortSignal): void {
    this.#stream = this.#session.request(head, body, this);
    if (!this.#isOver) this.#listening = onAbort(signal, () => this.#fail(signal.reason));
  }

  onHeaders(headers: ReadonlyMap<string, string>): void {
    // The second ones are trailers, of which an API server has none that count.
    if (this.#headers !== NO_HEADERS) return;
    const status = headers.get(':status') ?? '';
    this.#status = Number(status);
    this.#headers = headers;
    if (!STATUS.test(status)) this.#fail(new TransportError('maybe', 'the answer has no HTTP status'));
  }

  onData(chunk: Buffer): void {
    if (this.#isOver || chunk.length === 0) return;
    this.#size += chunk.length;
    try {
      if (this.#onData !== undefined && this.#status < 300) this.#onData(chunk);
      else this.#keep(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  onClose(code: number, isLost: boolean): void {
    if (this.#isOver) return;
    const failure = this.#toFailure(code, isLost);
    this.#end();
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    if (failure !== undefined) this.#done.reject(failure);
    else this.#done.resolve({ status: this.#status, headers: this.#headers, body: body ?? NOTHING });
  }

  #keep(chunk: Buffer): void {
    if (this.#size > MAX_BODY_BYTES)
      throw new TransportError('maybe', `the answer is larger than ${MAX_BODY_BYTES} bytes`);
    this.#chunks.push(chunk);
  }

  #toFailure(code: number, isLost: boolean): TransportError | undefined {
    const delivery = code === H2Code.REFUSED_STREAM ? 'refused' : 'maybe';
    if (isLost) return new TransportError(delivery, toReason(this.#session));
    if (this.#stream?.isComplete !== true)
      return new TransportError(delivery, `the server ended the stream with code ${code}`);
    const length = this.#headers.get('content-length');
    if (length === undefined || Number(length) === this.#size || BODILESS.has(this.#status)) return undefined;
    return new TransportError('maybe', `the answer has ${this.#size} bytes instead of ${length}`);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#chunks.length = 0;
    this.#stream?.cancel();
    this.#done.reject(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#listening?.[Symbol.dispose]();
  }
}

function toReason({ error }: H2Session): string {
  return error === undefined ? 'the connection was lost' : errorText(error);
}
