/**
 * One gRPC call on one HTTP/2 stream: request out, messages in, status at the
 * end. Ends exactly once: by the status of the server, by the loss of the
 * stream, or by `fail` (deadline, cancellation, a message too large), which
 * resets the stream.
 */

import type { H2Session } from '../h2/h2-session.ts';
import type { H2Stream, StreamListener } from '../h2/h2-stream.ts';
import { toHeaderBlock } from './grpc-headers.ts';
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

/** What is no such number, nothing at all too, is no success. */
const CODE = /^\d{1,3}$/;

/** How a call ended. */
type Status = Pick<GrpcError, 'code' | 'message'>;

export class GrpcExchange implements StreamListener {
  readonly #request: GrpcRequest;
  readonly #done = Promise.withResolvers<void>();
  readonly #messages: GrpcMessages;
  #ended = false;
  #stream: H2Stream | undefined;
  #hasHead = false;
  #status: Status | undefined;
  #afterClose: (() => void) | undefined;

  constructor(request: GrpcRequest, maxReceiveBytes: number) {
    this.#request = request;
    this.#messages = new GrpcMessages(maxReceiveBytes);
  }

  /** Resolves when the server said OK; rejects with GrpcError otherwise. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Sends the request; does nothing when the call has ended already. `onClose` follows every true return. */
  start(session: H2Session, onClose: () => void): boolean {
    if (this.#ended) return false;
    this.#afterClose = onClose;
    const { body, onSent } = this.#request;
    this.#stream = session.request(toHeaderBlock(this.#request), frameGrpcMessage(body), this);
    if (!this.#stream.isClosed) onSent?.();
    return true;
  }

  /** Ends the call with an error, unless it has ended. */
  fail(error: GrpcError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#messages.clear();
    this.#stream?.cancel();
    this.#done.reject(error);
  }

  onHeaders(headers: ReadonlyMap<string, string>): void {
    const status = Number(headers.get(':status') ?? 0);
    if (this.#hasHead || headers.has('grpc-status')) this.#receiveStatus(headers);
    else if (status !== 200)
      this.fail(new GrpcError(toCodeOfHttpStatus(status), `unexpected HTTP status ${status}`));
    this.#hasHead = true;
  }

  #receiveStatus(headers: ReadonlyMap<string, string>): void {
    const code = headers.get('grpc-status') ?? '';
    const message = decodeStatusMessage(headers.get('grpc-message') ?? '');
    this.#status = { code: CODE.test(code) ? Number(code) : GrpcCode.UNKNOWN, message };
  }

  onData(chunk: Buffer): void {
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

  onClose(reset: number, isLost: boolean): void {
    this.#afterClose?.();
    if (this.#ended) return;
    this.#ended = true;
    // An error takes note of the stack, so only a call that failed gets one.
    const { code, message } = this.#status ?? toLossOf(reset, isLost);
    if (code !== GrpcCode.OK) this.#done.reject(new GrpcError(code, message));
    else if (!this.#messages.atEnd)
      this.#done.reject(new GrpcError(GrpcCode.INTERNAL, 'the last message of the stream is truncated'));
    else this.#done.resolve();
  }
}

function toLossOf(reset: number, isLost: boolean): Status {
  if (isLost) return { code: GrpcCode.UNAVAILABLE, message: 'error reading from server: connection lost' };
  return { code: toCodeOfReset(reset), message: `stream terminated by RST_STREAM with error code ${reset}` };
}
