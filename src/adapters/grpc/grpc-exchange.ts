/**
 * One gRPC call on one HTTP/2 stream: request out, messages in, status at the
 * end. Ends exactly once: by the status of the server, by the loss of the
 * stream, or by `fail` (deadline, cancellation, a message too large), which
 * resets the stream.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { frameGrpcMessage, GrpcMessages } from './grpc-messages.ts';
import {
  decodeStatusMessage,
  GrpcCode,
  GrpcError,
  toCodeOfHttpStatus,
  toCodeOfReset,
} from './grpc-status.ts';

export interface GrpcRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly body: Uint8Array;
  /** Called for every message, in order; a throw ends the call. */
  readonly onMessage: (message: Buffer) => void;
  /** Called when the request is handed to an established connection. */
  readonly onSent?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Covers the wait for a connection too; absent means no deadline. */
  readonly timeoutMs?: number | undefined;
  /** Sent instead of or beside the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a call ended. */
type Status = Pick<GrpcError, 'code' | 'message'>;

export class GrpcExchange {
  readonly #request: GrpcRequest;
  readonly #done = Promise.withResolvers<void>();
  #ended = false;
  #stream: ClientHttp2Stream | undefined;
  #status: Status | undefined;
  readonly #messages: GrpcMessages;

  constructor(request: GrpcRequest, maxReceiveBytes: number) {
    this.#request = request;
    this.#messages = new GrpcMessages(maxReceiveBytes);
  }

  /** Resolves when the server said OK; rejects with GrpcError otherwise. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Sends the request; does nothing when the call has ended already. `onClose` follows every true return. */
  start(session: ClientHttp2Session, onClose: () => void): boolean {
    if (this.#ended) return false;
    const stream = session.request(toHeaders(this.#request));
    this.#stream = stream;
    stream.on('response', (headers) => this.#receiveHead(headers));
    stream.on('trailers', (trailers) => this.#receiveStatus(trailers));
    stream.on('data', (chunk: Buffer) => this.#receiveData(chunk));
    // What an error means is decided on close, when it is known whether the session lives.
    stream.on('error', () => {});
    stream.on('close', () => {
      onClose();
      this.#closed(session, stream);
    });
    stream.end(frameGrpcMessage(this.#request.body));
    this.#request.onSent?.();
    return true;
  }

  /** Ends the call with an error, unless it has ended. */
  fail(error: GrpcError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#messages.clear();
    this.#stream?.close(constants.NGHTTP2_CANCEL);
    this.#done.reject(error);
  }

  #receiveHead(headers: IncomingHttpHeaders & { ':status'?: number | undefined }): void {
    const status = headers[':status'];
    if (headers['grpc-status'] !== undefined) this.#receiveStatus(headers);
    else if (status !== 200)
      this.fail(new GrpcError(toCodeOfHttpStatus(status ?? 0), `unexpected HTTP status ${status}`));
  }

  #receiveStatus(headers: IncomingHttpHeaders): void {
    const code = Number(headers['grpc-status'] ?? GrpcCode.UNKNOWN);
    const message = decodeStatusMessage(String(headers['grpc-message'] ?? ''));
    this.#status = { code: Number.isInteger(code) ? code : GrpcCode.UNKNOWN, message };
  }

  #receiveData(chunk: Buffer): void {
    if (this.#ended) return;
    this.#messages.push(chunk);
    try {
      for (let message = this.#messages.take(); message !== undefined; message = this.#messages.take()) {
        this.#request.onMessage(message);
        if (this.#ended) return;
      }
    } catch (error) {
      this.fail(error instanceof GrpcError ? error : new GrpcError(GrpcCode.INTERNAL, String(error)));
    }
  }

  #closed(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
    if (this.#ended) return;
    this.#ended = true;
    // An error takes note of the stack, so only a call that failed gets one.
    const { code, message } = this.#status ?? toLossOf(session, stream);
    if (code !== GrpcCode.OK) this.#done.reject(new GrpcError(code, message));
    else if (!this.#messages.atEnd)
      this.#done.reject(new GrpcError(GrpcCode.INTERNAL, 'the last message of the stream is truncated'));
    else this.#done.resolve();
  }
}

function toLossOf(session: ClientHttp2Session, stream: ClientHttp2Stream): Status {
  if (session.destroyed || session.closed)
    return { code: GrpcCode.UNAVAILABLE, message: 'error reading from server: connection lost' };
  const code = stream.rstCode ?? constants.NGHTTP2_NO_ERROR;
  return { code: toCodeOfReset(code), message: `stream terminated by RST_STREAM with error code ${code}` };
}

function toHeaders(request: GrpcRequest): Record<string, string> {
  return {
    ':method': 'POST',
    ':scheme': 'http',
    ':authority': 'localhost',
    ':path': request.path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'user-agent': 'kubelet-ts',
    ...(request.timeoutMs === undefined ? {} : { 'grpc-timeout': toGrpcTimeout(request.timeoutMs) }),
    ...request.headers,
  };
}

/** A timeout as the header wants it: at most eight digits and a unit. */
export function toGrpcTimeout(timeoutMs: number): string {
  const ms = Math.max(1, Math.ceil(timeoutMs));
  return ms < 1e8 ? `${ms}m` : `${Math.min(Math.ceil(ms / 1000), 99_999_999)}S`;
}
