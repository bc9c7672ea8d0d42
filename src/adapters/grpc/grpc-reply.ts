/**
 * What goes back on one stream of the gRPC server: one message or many, then
 * a status. What the caller does not read is kept only up to what the stream
 * itself buffers; a refusal does not wait behind it.
 *
 *   refuse                       the status alone
 *   send ─► … ─► finish/refuse   messages, then the status
 */
import type { ServerHttp2Stream } from 'node:http2';
import { abortable } from '../../base/async/abortable.ts';
import { errorText } from '../../base/errors.ts';
import { H2Code } from '../h2/frame.ts';
import { frameGrpcMessage } from './grpc-messages.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

/** Of a status message: longer ones would not fit into a header. */
const MAX_STATUS_CHARACTERS = 4_096;
const HEADERS = { ':status': 200, 'content-type': 'application/grpc' } as const;

export class GrpcReply {
  readonly #stream: ServerHttp2Stream;
  #status: Readonly<Record<string, string>> = { 'grpc-status': '0' };

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  /** Resolves when there is room for the next message; rejects when `signal` aborts before. */
  async send(message: Uint8Array, signal: AbortSignal): Promise<void> {
    if (this.#stream.destroyed) return;
    this.#open();
    if (this.#stream.write(frameGrpcMessage(message))) return;
    await abortable(new Promise((resolve) => this.#stream.once('drain', resolve)), signal);
  }

  /** The last message, or none, and the status OK. */
  finish(message?: Uint8Array): void {
    if (this.#stream.destroyed) return;
    this.#open();
    if (message === undefined) this.#stream.end();
    else this.#stream.end(frameGrpcMessage(message));
  }

  /** A GrpcError is the status the caller gets, anything else is UNKNOWN with its text. */
  refuse(error: unknown): void {
    if (this.#stream.destroyed) return;
    this.#status = toStatus(error);
    if (!this.#stream.headersSent) {
      this.#stream.respond({ ...HEADERS, ...this.#status }, { endStream: true });
      return;
    }
    // Behind messages that are not read the status would never arrive, and they would be kept.
    if (this.#stream.writableEnded || this.#stream.writableLength > 0)
      this.#stream.close(H2Code.ENHANCE_YOUR_CALM);
    else this.#stream.end();
  }

  #open(): void {
    if (this.#stream.headersSent) return;
    this.#stream.respond(HEADERS, { waitForTrailers: true });
    this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(this.#status));
  }
}

function toStatus(error: unknown): Readonly<Record<string, string>> {
  const code = error instanceof GrpcError ? error.code : GrpcCode.UNKNOWN;
  const text = encodeURIComponent(errorText(error).slice(0, MAX_STATUS_CHARACTERS).toWellFormed());
  return { 'grpc-status': String(code), 'grpc-message': text };
}
