/**
 * One HTTP or HTTPS port: reads requests within limits, asks the guard and
 * the route list, writes replies. Starting and stopping are steps of the
 * agent's start and stop; the constructor only assigns.
 *
 *   new ──start()──► listening ──stop()──► stopped (every socket closed)
 *
 * Invariants: a failing handler costs one reply, never the listener; a caller
 * the guard refuses learns nothing about the paths below a route; stop ends in
 * bounded time regardless of clients.
 */
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import { sleep } from '../../base/async/clock.ts';
import { type HttpReply, type HttpRequest, toErrorReply } from './http-exchange.ts';
import { linger } from './linger.ts';
import { listen } from './listen.ts';
import { listenAtSocket } from './listen-at-socket.ts';
import { LISTENER_LIMITS, type ListenerLimits } from './listener-limits.ts';
import type { HttpListenerSettings } from './listener-settings.ts';
import { type ListenerTls, toTlsOptions, useMaterial } from './listener-tls.ts';
import { PeerCounts, toPeer } from './peer-counts.ts';
import { type Asking, BUSY, ENDED, ReplyFinder, withoutBody } from './reply-finder.ts';
import { sendReply } from './send-reply.ts';

/** What Node's server has and its types do not. */
type SizedServer = Server & { maxHeaderSize: number };

/** How often Node looks for requests that are late. */
const LATE_CHECK_MS = 5_000;

export class HttpListener {
  readonly #settings: HttpListenerSettings;
  readonly #limits: ListenerLimits;
  /** Requests under way; aborted one by one, because a signal derived from another outlives its request. */
  readonly #requests = new Set<AbortController>();
  readonly #replies: ReplyFinder;
  /** All that are open, also those in a handshake or taken over, which the server does not know. */
  readonly #sockets = new Set<Socket>();
  readonly #connections: PeerCounts;
  readonly #asked: PeerCounts;
  readonly #streams: PeerCounts;
  /** Counts certificate changes; a connection from before a change finishes its request and takes no other. */
  #generation = 0;
  readonly #generations = new WeakMap<Duplex, number>();
  #stopped = false;
  #server: Server | undefined;
  #subscription: Disposable | undefined;

  constructor(settings: HttpListenerSettings) {
    this.#settings = settings;
    const limits = { ...LISTENER_LIMITS, ...settings.limits };
    this.#limits = limits;
    // A unix socket has one peer, the agent's own user: what there is in all is theirs.
    const share = (total: number, peer: number): PeerCounts =>
      new PeerCounts(total, 'socketPath' in settings.place ? total : Math.min(peer, total));
    this.#connections = share(limits.maxConnections, limits.maxPeerConnections);
    this.#asked = share(limits.maxRequests, limits.maxPeerRequests);
    this.#streams = share(limits.maxStreams, limits.maxPeerStreams);
    const { routes, guard } = settings;
    const unknown = share(limits.maxRequests, limits.maxPeerUnknown);
    this.#replies = new ReplyFinder({ routes, guard, unknown, maxBodyBytes: limits.maxBodyBytes });
  }

  get openRequests(): number {
    return this.#requests.size;
  }

  /** Upgraded connections that are open. */
  get openStreams(): number {
    return this.#streams.total;
  }

  /** Resolves to the port (0 for a unix socket) once it accepts. Rejects, and may be called again, when the address cannot be bound. */
  async start(): Promise<number> {
    if (this.#server !== undefined || this.#stopped) throw new Error('a listener starts once');
    const { place } = this.#settings;
    const server = await this.#createServer();
    if ('socketPath' in place) await listenAtSocket(server, place.socketPath);
    else await listen(server, place.address, place.port);
    this.#server = server;
    const { logger } = this.#settings.kit;
    server.on('error', (error) => logger.error('listener failed', error, this.#fields()));
    return 'socketPath' in place ? 0 : (server.address() as AddressInfo).port;
  }

  /** Accepts nothing more, lets requests under way end for a moment, then closes every connection. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#subscription?.[Symbol.dispose]();
    for (const request of this.#requests) request.abort();
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const ended = new AbortController();
    void closed.then(() => ended.abort());
    await sleep(this.#settings.kit.clock, this.#limits.stopGraceMs, ended.signal);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #createServer(): Promise<Server> {
    const limits = this.#limits;
    const { tls } = this.#settings;
    const options = {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: LATE_CHECK_MS,
      keepAliveTimeout: limits.idleTimeoutMs,
      // An upgrade that no route supports is answered as a plain request.
      shouldUpgradeCallback: (request: IncomingMessage) => this.#replies.mayUpgrade(request),
    };
    const server =
      tls === undefined
        ? createServer(options)
        : // Loaded on first use: a plain listener saves its memory.
          (await import('node:https')).createServer({ ...options, ...toTlsOptions(tls) });
    server.on('connection', (socket: Socket) => this.#admit(socket));
    server.on('request', (request, response) => void this.#answer(request, response));
    server.on('upgrade', (request, socket, head) => this.#answerUpgrade(request, socket, head));
    server.on('connect', (request, socket) => this.#answerUpgrade(request, socket, Buffer.alloc(0)));
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
      this.#generations.set(socket, this.#generation),
    );
    if (tls !== undefined) this.#followTls(server as unknown as TlsServer & SizedServer, tls);
    return server;
  }

  #admit(socket: Socket): void {
    const release = this.#connections.take(toPeer(socket.remoteAddress));
    if (release === undefined) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      release();
    });
  }

  #followTls(server: TlsServer & SizedServer, tls: ListenerTls): void {
    const { maxHeaderBytes, maxKnownHeaderBytes } = this.#limits;
    // Node reads the size when it makes the parser of the connection, which it does next.
    server.prependListener('secureConnection', ({ authorized }: TLSSocket) => {
      server.maxHeaderSize = authorized ? maxKnownHeaderBytes : maxHeaderBytes;
    });
    useMaterial(server, tls);
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = tls.subscribe(() => {
      try {
        useMaterial(server, tls);
      } catch (error) {
        this.#settings.kit.logger.error('cannot use the new certificates', error, this.#fields());
        return;
      }
      this.#generation++;
      server.closeIdleConnections();
    });
  }

  #answerUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once('finish', () => socket.end());
    // A reset by the client is not our failure, even after the connection was handed over.
    socket.on('error', () => {});
    void this.#answer(request, response, head);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, head?: Buffer): Promise<void> {
    const ended = new AbortController();
    this.#requests.add(ended);
    const { socket } = request;
    const asking = { peer: toPeer(socket.remoteAddress), signal: ended.signal };
    const release = this.#asked.take(asking.peer);
    const end = (): void => {
      this.#requests.delete(ended);
      release?.();
      ended.abort(ENDED);
    };
    response.once('close', end);
    if (head !== undefined) socket.once('close', end);
    // The connection itself failed, so the reply cannot be delivered.
    response.on('error', () => {});
    let observed: ((status: number) => void) | undefined;
    try {
      const observe = (seen: HttpRequest): void => {
        const counted = this.#settings.observe?.(seen);
        const traced = this.#trace(seen);
        observed = (status) => {
          counted?.(status);
          traced(status);
        };
      };
      const reply =
        release === undefined
          ? withoutBody(request, BUSY)
          : await this.#replies.find(request, head, asking, observe);
      if (reply.takeOver !== undefined && head !== undefined)
        await this.#handOver(response, { socket, head }, reply.takeOver, asking);
      else await this.#send(response, socket, reply, ended.signal);
      observed?.(reply.status);
    } catch (error) {
      observed?.(500);
      this.#fail(request, response, error);
    }
  }

  async #handOver(
    response: ServerResponse,
    { socket, head }: { readonly socket: Socket; readonly head: Buffer },
    takeOver: NonNullable<HttpReply['takeOver']>,
    { peer, signal }: Asking,
  ): Promise<void> {
    const release = this.#streams.take(peer);
    if (release === undefined) return this.#send(response, socket, BUSY, signal);
    response.detachSocket(socket);
    try {
      await takeOver({ socket, head }, signal);
      await linger(socket, this.#settings.kit.clock, signal);
    } finally {
      release();
      socket.destroy();
    }
  }

  async #send(
    response: ServerResponse,
    socket: Duplex,
    reply: HttpReply,
    signal: AbortSignal,
  ): Promise<void> {
    // A kept connection would make the stop wait for its client, or outlive the authority it was verified by.
    const last = this.#stopped || this.#generations.get(socket) !== this.#generation;
    const clocked = { clock: this.#settings.kit.clock, timeoutMs: this.#limits.replyTimeoutMs };
    await sendReply(response, reply, { ...clocked, signal, close: last });
  }

  /** One line per request at high verbosity; without the query, which may hold arguments of a command. */
  #trace({ method, path, peer, headers }: HttpRequest): (status: number) => void {
    const { clock, logger } = this.#settings.kit;
    const startedAtMs = clock.steady();
    return (status) => {
      const latencyMs = Math.round(clock.steady() - startedAtMs);
      const userAgent = headers['user-agent'];
      logger.debug({ file: 'http-listener', level: 3 }, 'HTTP', {
        verb: method,
        path,
        latencyMs,
        userAgent,
        from: peer?.address,
        status,
      });
    };
  }

  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (request.socket.destroyed) return;
    const fields = { ...this.#fields(), method: request.method, path: request.url?.split('?')[0] };
    this.#settings.kit.logger.error('request failed', error, fields);
    // The reason stays in the log: it may hold what the caller must not see.
    if (response.headersSent || response.socket === null) request.socket.destroy();
    else
      void this.#send(
        response,
        request.socket,
        toErrorReply(500, 'Internal Server Error'),
        new AbortController().signal,
      ).catch(() => request.socket.destroy());
  }

  #fields(): { readonly listener: string } {
    return { listener: this.#settings.name };
  }
}
