/**
 * A small gRPC server on a unix socket: calls with one answer, each with a limit
 * on the size of its request and on its time, and calls with many. A caller that sends nothing, too
 * much or nonsense loses its own call; the others go on.
 *
 *   stream ─► path known? ─► request read (size, time) ─► handler ─► messages and a status
 *
 * Node's HTTP/2 takes 4 MiB, and most nodes never have a caller: it is loaded
 * with the first one.
 *
 * Invariants: a handler is called once for each complete request; after
 * close() no connection and no socket file is left.
 */
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type BoundSocket, bindSocket } from './bind-socket.ts';
import { GrpcMessages } from './grpc-messages.ts';
import { GrpcReply } from './grpc-reply.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

/** Turns a request into an answer; a GrpcError is the status the caller gets, anything else is UNKNOWN with its text. */
export type UnaryHandler = (request: Buffer, signal: AbortSignal) => Promise<Uint8Array> | Uint8Array;

/**
 * Sends messages until it resolves, or rejects with the status. `signal` aborts when the caller has left; each
 * `send` waits until the caller has read enough, or until the signal it is given aborts.
 */
export type StreamHandler = (
  request: Buffer,
  send: (message: Uint8Array, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

export interface GrpcServerParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** By `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, UnaryHandler>;
  readonly streams?: ReadonlyMap<string, StreamHandler> | undefined;
  /** Undefined lets every call in; an error is the status of one that is refused. */
  readonly admit?: (() => GrpcError | undefined) | undefined;
  /** How long a call may take from its first byte to its answer. */
  readonly callTimeoutMs: number;
  readonly maxReceiveBytes?: number;
}

const MAX_RECEIVE_BYTES = 4 * 1024 * 1024;
const MAX_CONNECTIONS = 64;
const MAX_STREAMS = 64;
/** Of all answers that wait to be read; the last of them may go beyond it. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

export class GrpcServer {
  readonly #parts: GrpcServerParts;
  readonly #connections = new Set<Socket>();
  #server: Server | undefined;
  #protocol: Promise<Http2Server> | undefined;
  #socket: BoundSocket | undefined;
  #unreadBytes = 0;

  constructor(parts: GrpcServerParts) {
    this.#parts = parts;
  }

  /** Resolves when it accepts; rejects with AgentError. `onFailure` follows when it can accept no more. */
  async listen(path: string, directoryMode: number, onFailure: (error: Error) => void): Promise<void> {
    const server = createServer((connection) => void this.#welcome(connection));
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
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }

  async #welcome(connection: Socket): Promise<void> {
    connection.on('error', () => {});
    if (this.#connections.size >= MAX_CONNECTIONS) {
      connection.destroy();
      return;
    }
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
    this.#protocol ??= this.#loadProtocol();
    const protocol = await this.#protocol;
    if (!connection.destroyed) protocol.emit('connection', connection);
  }

  async #loadProtocol(): Promise<Http2Server> {
    const http2 = await import('node:http2');
    const settings = { maxConcurrentStreams: MAX_STREAMS };
    const protocol = http2.createServer({ maxSessionMemory: 64, settings });
    protocol.on('session', (session) => session.on('error', () => {}));
    protocol.on('stream', (stream, headers) => void this.#serve(stream, headers));
    // What one peer does wrong is no failure of the server.
    protocol.on('sessionError', () => {});
    return protocol;
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const { methods, streams, admit, logger } = this.#parts;
    const reply = new GrpcReply(stream);
    const left = new AbortController();
    stream.on('error', () => {});
    stream.once('close', () => left.abort(new GrpcError(GrpcCode.CANCELLED, 'context canceled')));
    try {
      const path = String(headers[':path']);
      const handle = methods.get(path);
      const open = streams?.get(path);
      if (handle === undefined && open === undefined)
        throw new GrpcError(GrpcCode.UNIMPLEMENTED, `unknown method ${path}`);
      const refusal = admit?.() ?? this.#refuseUnread();
      if (refusal !== undefined) throw refusal;
      if (handle !== undefined) await this.#answer(stream, reply, handle, left.signal);
      else if (open !== undefined) {
        const request = await this.#inTime(left.signal, (signal) => this.#read(stream, signal));
        await open(request, (message, signal) => reply.send(message, signal), left.signal);
        reply.finish();
      }
    } catch (error) {
      if (error instanceof GrpcError && error.code === GrpcCode.INTERNAL)
        logger.warn('gRPC call refused', { err: errorText(error) });
      reply.refuse(error);
    }
  }

  /** One message for one request; both have to be read in time. */
  async #answer(
    stream: ServerHttp2Stream,
    reply: GrpcReply,
    handle: UnaryHandler,
    left: AbortSignal,
  ): Promise<void> {
    const answer = await this.#inTime(left, async (signal) =>
      handle(await this.#read(stream, signal), signal),
    );
    this.#unreadBytes += answer.byteLength;
    try {
      reply.finish(answer);
      await this.#inTime(left, whenAborted);
    } catch (error) {
      if (!left.aborted) throw error;
    } finally {
      this.#unreadBytes -= answer.byteLength;
    }
  }

  /** A caller that asks and asks and reads nothing costs memory for each answer. */
  #refuseUnread(): GrpcError | undefined {
    if (this.#unreadBytes < MAX_UNREAD_BYTES) return undefined;
    return new GrpcError(GrpcCode.RESOURCE_EXHAUSTED, 'too many answers are not read');
  }

  #read(stream: ServerHttp2Stream, signal: AbortSignal): Promise<Buffer> {
    return readRequest(stream, this.#parts.maxReceiveBytes, signal);
  }

  /** Rejects when `left` aborts, and with DEADLINE_EXCEEDED when the work takes too long. */
  async #inTime<T>(left: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, callTimeoutMs } = this.#parts;
    const reason = new GrpcError(GrpcCode.DEADLINE_EXCEEDED, 'context deadline exceeded');
    using deadline = new Deadline(clock, { timeoutMs: callTimeoutMs, signal: left, reason });
    try {
      const done = await work(deadline.signal);
      deadline.signal.throwIfAborted();
      return done;
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : error;
    }
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
