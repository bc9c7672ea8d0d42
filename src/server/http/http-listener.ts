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
import type { Server as TlsServer } from 'node:tls';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { UserInfo } from '../../ports/authentication.ts';
import { type HttpReply, type HttpRequest, toErrorReply } from './http-exchange.ts';
import { listen } from './listen.ts';
import { listenAtSocket } from './listen-at-socket.ts';
import { type ListenerTls, readPeerTls, toTlsOptions } from './listener-tls.ts';
import { readBody } from './read-body.ts';
import { parseTarget } from './request-target.ts';
import { findRoute, type Route } from './route-list.ts';
import { sendReply } from './send-reply.ts';

/** Returns the caller, or the reply that refuses it. */
export type Guard = (
  request: HttpRequest,
  signal: AbortSignal,
) => Promise<{ readonly user: UserInfo } | { readonly refusal: HttpReply }>;

/** Called for every request that reached a route; the result is called when its reply has ended. */
export type RequestObserver = (request: HttpRequest) => (status: number) => void;

export interface HttpListenerSettings {
  /** For people: which of the agent's ports this is. */
  readonly name: string;
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** A unix socket to listen at instead; for the agent's own user only. */
  readonly socketPath?: string;
  readonly routes: readonly Route[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<ListenerLimits>;
  /** Plain HTTP without. */
  readonly tls?: ListenerTls;
  /** Without it every request is allowed. */
  readonly guard?: Guard;
  readonly observe?: RequestObserver;
}

export interface ListenerLimits {
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** The same to the end of its body. */
  readonly requestTimeoutMs: number;
  /** An open connection without a request. */
  readonly idleTimeoutMs: number;
  /** The longest a reply may take. */
  readonly replyTimeoutMs: number;
  /** How long requests under way may take to end when the listener stops. */
  readonly stopGraceMs: number;
  readonly maxConnections: number;
  readonly maxRequests: number;
  /** Upgraded connections among them. */
  readonly maxStreams: number;
}

const LIMITS: ListenerLimits = {
  maxHeaderBytes: 1024 * 1024,
  maxBodyBytes: 64 * 1024,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 300_000,
  idleTimeoutMs: 90_000,
  replyTimeoutMs: 4 * 3600_000,
  stopGraceMs: 2_000,
  maxConnections: 2_000,
  maxRequests: 1_000,
  maxStreams: 500,
};

const BUSY = toErrorReply(429, 'Too many requests, please try again later.');

export class HttpListener {
  readonly #settings: HttpListenerSettings;
  readonly #limits: ListenerLimits;
  /** Requests under way; aborted one by one, because a signal derived from another outlives its request. */
  readonly #requests = new Set<AbortController>();
  #streams = 0;
  /** Counts certificate changes; a connection from before a change finishes its request and takes no other. */
  #generation = 0;
  readonly #generations = new WeakMap<Duplex, number>();
  #stopped = false;
  #server: Server | undefined;
  #subscription: Disposable | undefined;

  constructor(settings: HttpListenerSettings) {
    this.#settings = settings;
    this.#limits = { ...LIMITS, ...settings.limits };
  }

  get openRequests(): number {
    return this.#requests.size;
  }

  /** Upgraded connections that are open. */
  get openStreams(): number {
    return this.#streams;
  }

  /** Resolves to the port (0 for a unix socket) once it accepts. Rejects, and may be called again, when the address cannot be bound. */
  async start(): Promise<number> {
    if (this.#server !== undefined || this.#stopped) throw new Error('a listener starts once');
    const { address, port, socketPath } = this.#settings;
    const server = await this.#createServer();
    if (socketPath === undefined) await listen(server, address, port);
    else await listenAtSocket(server, socketPath);
    this.#server = server;
    server.on('error', (error) => this.#settings.log.error('listener failed', error, this.#fields()));
    return socketPath === undefined ? (server.address() as AddressInfo).port : 0;
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
    await sleep(this.#settings.clock, this.#limits.stopGraceMs, ended.signal);
    server.closeAllConnections();
    for (const socket of this.#taken) socket.destroy();
    await closed;
  }

  /** Connections that left HTTP; the server no longer knows them. */
  readonly #taken = new Set<Duplex>();

  async #createServer(): Promise<Server> {
    const limits = this.#limits;
    const { tls } = this.#settings;
    const options = {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      // An upgrade that no route supports is answered as a plain request.
      shouldUpgradeCallback: (request: IncomingMessage) => this.#mayUpgrade(request),
    };
    const server =
      tls === undefined
        ? createServer(options)
        : // Loaded on first use: a plain listener saves its memory.
          (await import('node:https')).createServer({ ...options, ...toTlsOptions(tls) });
    server.maxConnections = limits.maxConnections;
    server.on('request', (request, response) => void this.#answer(request, response));
    server.on('upgrade', (request, socket, head) => this.#answerUpgrade(request, socket, head));
    server.on('connect', (request, socket) => this.#answerUpgrade(request, socket, Buffer.alloc(0)));
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
      this.#generations.set(socket, this.#generation),
    );
    if (tls !== undefined) this.#followTls(server as unknown as TlsServer & Server, tls);
    return server;
  }

  #followTls(server: TlsServer & Server, tls: ListenerTls): void {
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = tls.subscribe(() => {
      try {
        server.setSecureContext(toTlsOptions(tls));
      } catch (error) {
        this.#settings.log.error('cannot use the new certificates', error, this.#fields());
        return;
      }
      this.#generation++;
      server.closeIdleConnections();
    });
  }

  #mayUpgrade(request: IncomingMessage): boolean {
    const target = parseTarget(request.url ?? '');
    if (target === undefined) return false;
    return this.#settings.routes.some(({ upgrades, path }) => upgrades && target.path.startsWith(path));
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
    const end = (): void => {
      this.#requests.delete(ended);
      ended.abort();
    };
    response.once('close', end);
    if (head !== undefined) socket.once('close', end);
    // The connection itself failed, so the reply cannot be delivered.
    response.on('error', () => {});
    let observed: ((status: number) => void) | undefined;
    try {
      const reply = await this.#reply(request, head, ended.signal, (seen) => {
        const counted = this.#settings.observe?.(seen);
        const traced = this.#trace(seen);
        observed = (status) => {
          counted?.(status);
          traced(status);
        };
      });
      if (reply.takeOver !== undefined && head !== undefined)
        await this.#handOver(response, socket, head, reply.takeOver, ended.signal);
      else await this.#send(response, socket, reply, ended.signal);
      observed?.(reply.status);
    } catch (error) {
      observed?.(500);
      this.#fail(request, response, error);
    }
  }

  async #handOver(
    response: ServerResponse,
    socket: Socket,
    head: Buffer,
    takeOver: NonNullable<HttpReply['takeOver']>,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#streams >= this.#limits.maxStreams) return this.#send(response, socket, BUSY, signal);
    response.detachSocket(socket);
    this.#streams++;
    this.#taken.add(socket);
    try {
      await takeOver({ socket, head }, signal);
    } finally {
      this.#streams--;
      this.#taken.delete(socket);
      socket.destroy();
    }
  }

  async #reply(
    message: IncomingMessage,
    head: Buffer | undefined,
    signal: AbortSignal,
    observe: (request: HttpRequest) => void,
  ): Promise<HttpReply> {
    const target = parseTarget(message.url ?? '');
    if (target === undefined) return toErrorReply(400, '400 Bad Request');
    const method = message.method ?? 'GET';
    const match = findRoute(this.#settings.routes, method, target.path);
    if (match.kind === 'reply' && !match.owned) return match.reply;
    if (this.#requests.size > this.#limits.maxRequests) return BUSY;
    const bare = { ...toRequest(message, method, target, head), body: new Uint8Array() };
    observe(bare);
    const entry = await this.#settings.guard?.(bare, signal);
    if (entry !== undefined && 'refusal' in entry) return withoutBody(message, entry.refusal);
    if (match.kind === 'reply') return withoutBody(message, match.reply);
    const body = head === undefined ? await readBody(message, this.#limits.maxBodyBytes) : bare.body;
    if (body === undefined) return withoutBody(message, toErrorReply(413, '413 Request Entity Too Large'));
    return match.handle({ ...bare, ...entry, body, params: match.params }, signal);
  }

  async #send(
    response: ServerResponse,
    socket: Duplex,
    reply: HttpReply,
    signal: AbortSignal,
  ): Promise<void> {
    // A kept connection would make the stop wait for its client, or outlive the authority it was verified by.
    const last = this.#stopped || this.#generations.get(socket) !== this.#generation;
    const clocked = { clock: this.#settings.clock, timeoutMs: this.#limits.replyTimeoutMs };
    await sendReply(response, reply, { ...clocked, signal, close: last });
  }

  /** One line per request at high verbosity; without the query, which may hold arguments of a command. */
  #trace({ method, path, peer, headers }: HttpRequest): (status: number) => void {
    const { clock, log } = this.#settings;
    const startedAtMs = clock.now();
    return (status) => {
      const latencyMs = Math.round(clock.now() - startedAtMs);
      const userAgent = headers['user-agent'];
      log.debug(3, 'HTTP', { verb: method, path, latencyMs, userAgent, from: peer?.address, status });
    };
  }

  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (request.socket.destroyed) return;
    const fields = { ...this.#fields(), method: request.method, path: request.url?.split('?')[0] };
    this.#settings.log.error('request failed', error, fields);
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

/** A connection with an unread body, of any length, serves no further request. */
function withoutBody({ headers }: IncomingMessage, reply: HttpReply): HttpReply {
  const announced = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return announced ? { ...reply, headers: { ...reply.headers, connection: 'close' } } : reply;
}

function toRequest(
  message: IncomingMessage,
  method: string,
  target: Pick<HttpRequest, 'path' | 'query'>,
  head: Buffer | undefined,
): Omit<HttpRequest, 'body'> {
  const tls = readPeerTls(message.socket);
  const address = message.socket.remoteAddress ?? '';
  const upgrade = { rawHeaders: message.rawHeaders, target: message.url ?? '' };
  return {
    method,
    ...target,
    headers: message.headers,
    peer: tls === undefined ? { address } : { address, tls },
    ...(head === undefined ? {} : { upgrade }),
  };
}
