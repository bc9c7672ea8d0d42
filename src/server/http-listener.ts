/**
 * One plain HTTP port: reads requests within limits, asks the route list,
 * writes replies. Starting and stopping are steps of the agent's start and
 * stop; the constructor only assigns.
 *
 *   new ──start()──► listening ──stop()──► stopped (every socket closed)
 *
 * Invariants: a failing handler costs one reply, never the listener; stop
 * ends in bounded time whatever clients do.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, sleep } from '../base/clock.ts';
import { AgentError, errorText } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { type HttpReply, toErrorReply } from './http-exchange.ts';
import { readBody } from './read-body.ts';
import { parseTarget } from './request-target.ts';
import { findRoute, type Route } from './route-list.ts';

export interface HttpListenerSettings {
  /** For people: which of the agent's ports this is. */
  readonly name: string;
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<ListenerLimits>;
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
  /** What requests under way get to end when the listener stops. */
  readonly stopGraceMs: number;
}

const LIMITS: ListenerLimits = {
  maxHeaderBytes: 1024 * 1024,
  maxBodyBytes: 64 * 1024,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 300_000,
  idleTimeoutMs: 90_000,
  stopGraceMs: 2_000,
};

export class HttpListener {
  readonly #settings: HttpListenerSettings;
  readonly #limits: ListenerLimits;
  /** Requests under way; told singly, because a signal made of another's outlives its request. */
  readonly #requests = new Set<AbortController>();
  #stopped = false;
  #server: Server | undefined;

  constructor(settings: HttpListenerSettings) {
    this.#settings = settings;
    this.#limits = { ...LIMITS, ...settings.limits };
  }

  /** Resolves to the port once it accepts. Rejects, and may be called again, when the address is not to be had. */
  async start(): Promise<number> {
    if (this.#server !== undefined || this.#stopped) throw new Error('a listener starts once');
    const { address, port } = this.#settings;
    const limits = this.#limits;
    const server = createServer(
      {
        maxHeaderSize: limits.maxHeaderBytes,
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        keepAliveTimeout: limits.idleTimeoutMs,
      },
      (request, response) => void this.#answer(request, response),
    );
    await listen(server, address, port);
    this.#server = server;
    server.on('error', (error) => this.#settings.log.error('listener failed', error, this.#fields()));
    return (server.address() as AddressInfo).port;
  }

  /** Accepts nothing more, lets requests under way end for a moment, then closes every connection. */
  async stop(): Promise<void> {
    this.#stopped = true;
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
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ended = new AbortController();
    this.#requests.add(ended);
    response.once('close', () => {
      this.#requests.delete(ended);
      ended.abort();
    });
    // The connection's own failure; the reply has nobody to go to then.
    response.on('error', () => {});
    try {
      this.#send(response, await this.#reply(request, ended.signal));
    } catch (error) {
      if (request.socket.destroyed) return;
      const fields = { ...this.#fields(), method: request.method, path: request.url?.split('?')[0] };
      this.#settings.log.error('request failed', error, fields);
      // The reason stays in the log: it may hold what the caller has no right to.
      if (!response.headersSent) this.#send(response, toErrorReply(500, 'Internal Server Error'));
      else response.destroy();
    }
  }

  async #reply(request: IncomingMessage, signal: AbortSignal): Promise<HttpReply> {
    const target = parseTarget(request.url ?? '');
    if (target === undefined) return toErrorReply(400, '400 Bad Request');
    const method = request.method ?? 'GET';
    const match = findRoute(this.#settings.routes, method, target.path);
    if (match.kind === 'reply') return match.reply;
    const body = await readBody(request, this.#limits.maxBodyBytes);
    if (body === undefined) {
      const { status, headers, body: text } = toErrorReply(413, '413 Request Entity Too Large');
      // The rest of the body is not read, so nothing else can follow on this connection.
      return { status, headers: { ...headers, connection: 'close' }, body: text };
    }
    return match.handle({ method, ...target, headers: request.headers, body }, signal);
  }

  #send(response: ServerResponse, reply: HttpReply): void {
    if (response.destroyed) return;
    // A kept connection would make the stop wait for its client.
    const closing = this.#stopped ? { connection: 'close' } : {};
    const length = { 'content-length': String(Buffer.byteLength(reply.body)) };
    response.writeHead(reply.status, { ...reply.headers, ...length, ...closing });
    response.end(reply.body);
  }

  #fields(): { readonly listener: string } {
    return { listener: this.#settings.name };
  }
}

async function listen(server: Server, address: string, port: number): Promise<void> {
  const started = Promise.withResolvers<void>();
  server.once('error', started.reject);
  server.listen({ host: address, port, exclusive: true }, started.resolve);
  try {
    await started.promise;
  } catch (error) {
    throw toListenError(address, port, error);
  } finally {
    server.removeListener('error', started.reject);
  }
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'no interface of this host has the address',
  EACCES: 'permission denied',
};

function toListenError(address: string, port: number, error: unknown): AgentError {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : '';
  const place = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const why = LISTEN_PROBLEMS[errno] ?? errorText(error);
  const code = errno === 'EACCES' ? 'permission-denied' : 'unavailable';
  return new AgentError(code, `cannot listen on "${place}": ${why}`, { cause: error });
}
