/**
 * A small gRPC server on a unix socket: unary calls only, each with a limit on
 * the size of its request and on its time. A caller that sends nothing, too
 * much or nonsense loses its own call; the others go on.
 *
 *   stream ─► path known? ─► request read (size, time) ─► handler ─► one message and a status
 *
 * Invariants: a handler is called once for each complete request; after
 * close() no session and no socket file is left.
 */
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type BoundSocket, bindSocket } from './bind-socket.ts';
import { frameGrpcMessage, GrpcMessages } from './grpc-messages.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

/** Turns a request into an answer; a GrpcError is the status the caller gets, anything else is UNKNOWN with its text. */
export type UnaryHandler = (request: Buffer, signal: AbortSignal) => Promise<Uint8Array> | Uint8Array;

export interface GrpcServerParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** By `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, UnaryHandler>;
  /** Undefined lets every call in; an error is the status of one that is refused. */
  readonly admit?: (() => GrpcError | undefined) | undefined;
  /** How long a call may take from its first byte to its answer. */
  readonly callTimeoutMs: number;
  readonly maxReceiveBytes?: number;
}

const MAX_RECEIVE_BYTES = 4 * 1024 * 1024;
const MAX_SESSIONS = 64;
const MAX_STREAMS = 64;
/** Of a status message: longer ones would not fit into a header. */
const MAX_STATUS_CHARACTERS = 4_096;

export class GrpcServer {
  readonly #parts: GrpcServerParts;
  readonly #sessions = new Set<ServerHttp2Session>();
  #server: Http2Server | undefined;
  #socket: BoundSocket | undefined;

  constructor(parts: GrpcServerParts) {
    this.#parts = parts;
  }

  get openSessions(): number {
    return this.#sessions.size;
  }

  /** Resolves when it accepts; rejects with AgentError. `onFailure` follows when it can accept no more. */
  async listen(path: string, directoryMode: number, onFailure: (error: Error) => void): Promise<void> {
    const server = createServer({ maxSessionMemory: 64, settings: { maxConcurrentStreams: MAX_STREAMS } });
    server.on('session', (session) => this.#welcome(session));
    server.on('stream', (stream, headers) => void this.#serve(stream, headers));
    // What one peer does wrong is no failure of the server.
    server.on('sessionError', () => {});
    this.#socket = await bindSocket(server, path, directoryMode);
    server.on('error', onFailure);
    this.#server = server;
  }

  /** Ends every call and removes the socket; resolves when all is gone. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await this.#socket?.remove();
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.once('close', resolve));
    server.close();
    for (const session of this.#sessions) session.destroy();
    await closed;
  }

  #welcome(session: ServerHttp2Session): void {
    if (this.#sessions.size >= MAX_SESSIONS) {
      session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
      return;
    }
    this.#sessions.add(session);
    session.on('error', () => {});
    session.once('close', () => this.#sessions.delete(session));
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const { clock, methods, admit, callTimeoutMs } = this.#parts;
    const left = new AbortController();
    stream.on('error', () => {});
    stream.once('close', () => left.abort(new GrpcError(GrpcCode.CANCELLED, 'context canceled')));
    const reason = new GrpcError(GrpcCode.DEADLINE_EXCEEDED, 'context deadline exceeded');
    using deadline = new Deadline(clock, { timeoutMs: callTimeoutMs, signal: left.signal, reason });
    try {
      const path = String(headers[':path']);
      const handle = methods.get(path);
      if (handle === undefined) throw new GrpcError(GrpcCode.UNIMPLEMENTED, `unknown method ${path}`);
      const refusal = admit?.();
      if (refusal !== undefined) throw refusal;
      const request = await readRequest(stream, this.#parts.maxReceiveBytes, deadline.signal);
      this.#answer(stream, await handle(request, deadline.signal));
    } catch (error) {
      this.#refuse(stream, deadline.signal.aborted && !left.signal.aborted ? reason : error);
    }
  }

  #answer(stream: ServerHttp2Stream, message: Uint8Array): void {
    if (stream.destroyed) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(frameGrpcMessage(message));
  }

  #refuse(stream: ServerHttp2Stream, error: unknown): void {
    if (stream.destroyed || stream.headersSent) return;
    const code = error instanceof GrpcError ? error.code : GrpcCode.UNKNOWN;
    if (code === GrpcCode.INTERNAL) this.#parts.logger.warn('gRPC call refused', { err: errorText(error) });
    const text = encodeURIComponent(errorText(error).slice(0, MAX_STATUS_CHARACTERS).toWellFormed());
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': String(code),
        'grpc-message': text,
      },
      { endStream: true },
    );
  }
}

/** The one message of a request. Rejects with GrpcError. */
function readRequest(
  stream: ServerHttp2Stream,
  maxBytes: number | undefined,
  signal: AbortSignal,
): Promise<Buffer> {
  const messages = new GrpcMessages(maxBytes ?? MAX_RECEIVE_BYTES);
  return new Promise((resolve, reject) => {
    let request: Buffer | undefined;
    onAbort(signal, () => reject(signal.reason));
    stream.on('data', (chunk: Buffer) => {
      try {
        messages.push(chunk);
        for (let next = messages.take(); next !== undefined; next = messages.take()) {
          if (request !== undefined) throw new GrpcError(GrpcCode.INTERNAL, 'more than one request message');
          request = next;
        }
      } catch (error) {
        messages.clear();
        reject(error);
      }
    });
    stream.once('end', () => {
      if (request !== undefined && messages.atEnd) resolve(request);
      else reject(new GrpcError(GrpcCode.INTERNAL, 'the request is truncated'));
    });
  });
}
