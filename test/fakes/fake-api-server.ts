/**
 * An API server in this process, over real HTTP/2 (and HTTP/1.1) sockets: a
 * FakeApiStore behind list, watch, get, create, update, patch and delete, with
 * faults that a test can plan. It can stop and start again on the same port
 * with its state kept, as an API server restart does.
 */
import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { JsonObject, PatchType } from './fake-api-patch.ts';
import { type ApiPath, parseApiPath } from './fake-api-path.ts';
import { FakeApiRefusal, FakeApiStore, type WatchEvent } from './fake-api-store.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The common name in the client's certificate. */
  readonly clientName: string | undefined;
  /** Which TCP connection it came on, from 1. */
  readonly connection: number;
  readonly body: string;
}

/** What happens instead of the right answer, for the next `times` requests that match. */
export interface ApiFault {
  readonly matches?: (request: SeenRequest) => boolean;
  /** Once by default. */
  readonly times?: number;
  readonly does:
    | {
        readonly kind: 'refuse';
        readonly code: number;
        readonly reason?: string;
        readonly retryAfterSeconds?: number;
      }
    /** No answer, ever. */
    | { readonly kind: 'hang' }
    /** The connection breaks before or after the request was carried out. */
    | { readonly kind: 'break'; readonly when: 'before' | 'after' }
    /** An answer that is not of an API server. */
    | { readonly kind: 'garbage'; readonly text: string };
}

export interface FakeApiServerOptions {
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
  readonly now?: () => number;
  /** Streams that one connection may have open. */
  readonly maxStreams?: number;
  /** Refuses requests with 401 unless this says yes. */
  readonly authenticate?: (request: SeenRequest) => boolean;
}

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/strategic-merge-patch+json': 'strategic',
  'application/merge-patch+json': 'merge',
  'application/json-patch+json': 'json',
};

export class FakeApiServer {
  readonly store: FakeApiStore;
  readonly requests: SeenRequest[] = [];
  /** Answers posts to sub-resources, by `<plural>/<subresource>`. */
  readonly subresources = new Map<string, (path: ApiPath, body: JsonObject) => JsonObject>();
  readonly #options: FakeApiServerOptions;
  readonly #sockets = new Map<Socket, number>();
  readonly #watches = new Set<Http2ServerResponse>();
  readonly #faults: { fault: ApiFault; left: number }[] = [];
  #server: Server | undefined;
  #connections = 0;
  #port = 0;

  constructor(options: FakeApiServerOptions = {}) {
    this.#options = options;
    this.store = new FakeApiStore(options.now ?? Date.now);
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.#port}`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Listens; after a stop() on the same port as before. */
  async start(): Promise<void> {
    const { tls, maxStreams } = this.#options;
    const settings = maxStreams === undefined ? {} : { maxConcurrentStreams: maxStreams };
    const server: Server =
      tls === undefined
        ? createServer({ settings })
        : createSecureServer({
            ...tls,
            settings,
            allowHTTP1: true,
            requestCert: true,
            rejectUnauthorized: false,
          });
    server.on('connection', (socket: Socket) => {
      this.#sockets.set(socket, ++this.#connections);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('sessionError', () => {});
    server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
      request.on('error', () => {});
      response.on('error', () => {});
      void this.#handle(request, response);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Breaks every connection and stops listening; the state stays. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.breakConnections();
    await closed;
  }

  breakConnections(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** Ends every watch as a server does when its time is over. */
  endWatches(): void {
    for (const response of this.#watches) response.end();
  }

  /** Sends every watch an ERROR event and ends it. */
  failWatches(refusal: FakeApiRefusal): void {
    for (const response of this.#watches)
      response.end(`${JSON.stringify({ type: 'ERROR', object: refusal.toStatus() })}\n`);
  }

  plan(fault: ApiFault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  /** Requests with this method whose path starts so; watches have `watch` as their method. */
  seen(method: string, path: string): SeenRequest[] {
    return this.requests.filter((one) => methodOf(one) === method && one.path.startsWith(path));
  }

  async #handle(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const seen = await this.#see(request).catch(() => undefined);
    // A client that went away while it was sending has asked for nothing.
    if (seen === undefined) return;
    this.requests.push(seen);
    const does = this.#takeFault(seen);
    if (does?.kind === 'hang') return;
    if (does?.kind === 'break' && does.when === 'before') return breakUnder(request);
    try {
      if (does?.kind === 'garbage') return void response.end(does.text);
      if (does?.kind === 'refuse')
        throw new FakeApiRefusal(does.code, does.reason ?? '', `refused by the test`, does.retryAfterSeconds);
      if (this.#options.authenticate?.(seen) === false)
        throw new FakeApiRefusal(401, 'Unauthorized', 'Unauthorized');
      if (methodOf(seen) === 'watch') return this.#watch(seen, response);
      const answer = this.#answer(seen);
      if (does?.kind === 'break') return breakUnder(request);
      send(response, seen.method === 'POST' ? 201 : 200, answer);
    } catch (error) {
      const known = error instanceof FakeApiRefusal;
      const refusal = known ? error : new FakeApiRefusal(500, 'InternalError', String(error));
      if (refusal.retryAfterSeconds !== undefined)
        response.setHeader('retry-after', String(refusal.retryAfterSeconds));
      send(response, refusal.code, refusal.toStatus());
    }
  }

  async #see(request: Http2ServerRequest): Promise<SeenRequest> {
    const url = new URL(request.url, 'http://x');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    // Sockets of HTTP/2 requests are proxies and those of TLS are wrapped: the remote port identifies them.
    const remote = request.socket.remotePort;
    const socket = [...this.#sockets].find(([one]) => one.remotePort === remote);
    return {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      clientName: this.#options.tls === undefined ? undefined : commonName(request),
      connection: socket?.[1] ?? 0,
      body: Buffer.concat(chunks).toString('utf8'),
    };
  }

  #takeFault(seen: SeenRequest): ApiFault['does'] | undefined {
    const planned = this.#faults.find(({ fault, left }) => left > 0 && (fault.matches?.(seen) ?? true));
    if (planned === undefined) return undefined;
    planned.left--;
    return planned.fault.does;
  }

  #answer(seen: SeenRequest): JsonObject {
    const path = parseApiPath(seen.path);
    if (path === undefined) throw new FakeApiRefusal(404, 'NotFound', '404 page not found');
    const { collection, name, subresource } = path;
    const body = (): JsonObject => JSON.parse(seen.body === '' ? '{}' : seen.body) as JsonObject;
    if (name === undefined) {
      if (seen.method === 'POST') return this.store.create(collection, body());
      return this.#list(path, seen.query);
    }
    switch (seen.method) {
      case 'GET':
        return this.store.get(collection, name);
      case 'PUT':
        return this.store.replace(collection, name, body(), subresource);
      case 'PATCH': {
        const type = PATCH_TYPES[String(seen.headers['content-type'])];
        if (type === undefined) throw new FakeApiRefusal(415, 'UnsupportedMediaType', 'unknown patch type');
        return this.store.patch(collection, name, body(), type, subresource);
      }
      case 'DELETE': {
        const { gracePeriodSeconds, preconditions } = body() as {
          gracePeriodSeconds?: number;
          preconditions?: { uid?: string };
        };
        return this.store.delete(collection, name, {
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
          ...(preconditions?.uid === undefined ? {} : { uid: preconditions.uid }),
        });
      }
      default: {
        const answer = this.subresources.get(`${collection.plural}/${subresource ?? ''}`);
        if (answer === undefined) throw new FakeApiRefusal(405, 'MethodNotAllowed', 'not supported here');
        return answer(path, body());
      }
    }
  }

  /** Pages are cut at the moment of each request: good enough for objects that do not change meanwhile. */
  #list({ collection }: ApiPath, query: URLSearchParams): JsonObject {
    const all = this.store.list(collection, query.get('fieldSelector') ?? '');
    const from = Number(query.get('continue') ?? 0);
    const limit = Number(query.get('limit') ?? 0) || all.length;
    const more = from + limit < all.length ? { continue: String(from + limit) } : {};
    const metadata = { resourceVersion: this.store.version, ...more };
    return { kind: 'List', apiVersion: 'v1', metadata, items: all.slice(from, from + limit) };
  }

  #watch(seen: SeenRequest, response: Http2ServerResponse): void {
    const path = parseApiPath(seen.path);
    if (path === undefined) throw new FakeApiRefusal(404, 'NotFound', '404 page not found');
    const early: WatchEvent[] = [];
    let write = (event: WatchEvent): void => void early.push(event);
    const selector = seen.query.get('fieldSelector') ?? '';
    const version = seen.query.get('resourceVersion') ?? '';
    const subscription = this.store.watch(path.collection, selector, version, (event) => write(event));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('');
    write = (event) => void response.write(`${JSON.stringify(event)}\n`);
    for (const event of early) write(event);
    this.#watches.add(response);
    response.once('close', () => {
      subscription[Symbol.dispose]();
      this.#watches.delete(response);
    });
  }
}

function methodOf(request: SeenRequest): string {
  return request.query.get('watch') === 'true' ? 'watch' : request.method;
}

function send(response: Http2ServerResponse, code: number, body: JsonObject): void {
  if (response.destroyed) return;
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function commonName(request: Http2ServerRequest): string | undefined {
  const subject = (request.socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
  return subject?.CN;
}

function breakUnder(request: Http2ServerRequest): void {
  const session = request.stream?.session;
  if (session === undefined) request.socket.destroy();
  else session.destroy();
}
