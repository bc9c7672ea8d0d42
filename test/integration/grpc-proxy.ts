/**
 * Stands between kubelet and runtime and lets chosen calls hang: an HTTP/2
 * server on a unix socket that forwards every gRPC call as it is, except those
 * `isHung` picks by path and request, which are never answered.
 */
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';

export interface GrpcProxyOptions {
  readonly listenPath: string;
  /** The socket of the real runtime. */
  readonly targetPath: string;
  readonly isHung: (path: string, request: Buffer) => boolean;
}

export class GrpcProxy {
  readonly #options: GrpcProxyOptions;
  readonly #server: Http2Server;
  readonly #target: ClientHttp2Session;
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Paths of the calls that were left hanging, in order. */
  readonly hung: string[] = [];

  private constructor(options: GrpcProxyOptions) {
    this.#options = options;
    this.#target = connect('http://localhost', {
      createConnection: () => connectSocket(options.targetPath),
      peerMaxConcurrentStreams: 2 ** 32 - 1,
    });
    this.#target.on('error', () => {});
    this.#server = createServer({ settings: { maxConcurrentStreams: 2 ** 32 - 1 } });
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('error', () => {});
      session.once('close', () => this.#sessions.delete(session));
    });
    this.#server.on('stream', (stream, headers) => void this.#serve(stream, headers));
  }

  static async listen(options: GrpcProxyOptions): Promise<GrpcProxy> {
    const proxy = new GrpcProxy(options);
    proxy.#server.listen(options.listenPath);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const session of this.#sessions) session.destroy();
    this.#target.destroy();
    await closed;
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    stream.on('error', () => {});
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(stream, 'end').catch(() => {});
    if (stream.destroyed) return;
    const request = Buffer.concat(chunks);
    const path = String(headers[':path']);
    if (this.#options.isHung(path, request)) this.hung.push(path);
    else this.#forward(stream, headers, request);
  }

  #forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, request: Buffer): void {
    const call = this.#target.request({ ...headers });
    let trailers: IncomingHttpHeaders = {
      'grpc-status': '14',
      'grpc-message': 'the runtime dropped the call',
    };
    call.on('error', () => stream.destroyed || stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    call.on('response', (answer, flags) => {
      if (stream.destroyed) return;
      // An answer without a body carries its status in the headers.
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(answer, endStream ? { endStream } : { waitForTrailers: true });
    });
    call.on('data', (chunk: Buffer) => stream.destroyed || stream.write(chunk));
    call.on('trailers', (received) => {
      trailers = received;
    });
    call.on('end', () => stream.writableEnded || stream.destroyed || stream.end());
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
    call.end(request);
  }
}
