/**
 * A gRPC server for the tests of this folder: real HTTP/2 on a unix socket,
 * handlers that see raw messages and decide how a call ends, or that it does
 * not. Can be stopped and started again on the same path.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ServedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly stream: ServerHttp2Stream;
  /** Sends one message. */
  send(message: Uint8Array): void;
  /** Ends with a status after messages, in trailers. */
  end(code: number, message?: string): void;
  /** Ends with a status and nothing else, in headers. */
  refuse(code: number, message?: string): void;
}

export type Handler = (call: ServedCall) => void;

/** The five bytes before a message. */
export function toPrefix(size: number, flag = 0): Buffer {
  const prefix = Buffer.alloc(5, flag);
  prefix.writeUInt32BE(size, 1);
  return prefix;
}

export class FakeGrpcServer {
  readonly socketPath: string;
  readonly #directory: string;
  readonly #handle: Handler;
  readonly sessions = new Set<ServerHttp2Session>();
  #server: Http2Server | undefined;

  private constructor(directory: string, handle: Handler) {
    this.#directory = directory;
    this.#handle = handle;
    this.socketPath = join(directory, 'grpc.sock');
  }

  /** A server that does not listen yet. */
  static async create(handle: Handler): Promise<FakeGrpcServer> {
    return new FakeGrpcServer(await mkdtemp(join(tmpdir(), 'fake-grpc-')), handle);
  }

  static async start(handle: Handler): Promise<FakeGrpcServer> {
    const server = await FakeGrpcServer.create(handle);
    await server.listen();
    return server;
  }

  async listen(): Promise<void> {
    const server = createServer({ maxSendHeaderBlockLength: 2 ** 24 });
    server.on('session', (session) => {
      this.sessions.add(session);
      session.on('error', () => {});
      session.once('close', () => this.sessions.delete(session));
    });
    server.on('stream', (stream, headers) => void this.#serve(stream, headers));
    server.listen(this.socketPath);
    await once(server, 'listening');
    this.#server = server;
  }

  /** Drops every connection and the socket, as a killed process does. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const session of this.sessions) session.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    stream.on('error', () => {});
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(stream, 'end').catch(() => {});
    if (stream.destroyed) return;
    const open = (): void => {
      if (!stream.headersSent)
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    };
    const statusOf = (code: number, message: string): Record<string, string> => ({
      'grpc-status': String(code),
      'grpc-message': encodeURIComponent(message),
    });
    // As servers in Go do it: headers longer than the client has said it takes end the stream.
    const fits = (status: Record<string, string>): boolean => {
      const bytes = Object.entries(status).reduce((sum, pair) => sum + pair.join('').length + 32, 0);
      if (bytes <= (stream.session?.remoteSettings.maxHeaderListSize ?? Number.POSITIVE_INFINITY))
        return true;
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      return false;
    };
    this.#handle({
      path: String(headers[':path']),
      headers,
      body: Buffer.concat(chunks).subarray(5),
      stream,
      send(message) {
        open();
        stream.write(Buffer.concat([toPrefix(message.byteLength), message]));
      },
      end(code, message = '') {
        open();
        const status = statusOf(code, message);
        stream.on('wantTrailers', () => fits(status) && stream.sendTrailers(status));
        stream.end();
      },
      refuse(code, message = '') {
        const status = statusOf(code, message);
        if (!fits(status)) return;
        stream.respond(
          { ':status': 200, 'content-type': 'application/grpc', ...status },
          { endStream: true },
        );
      },
    });
  }
}
