/**
 * A gRPC connection to one unix socket. Connects when first called and again
 * after a loss, with back-off; calls wait while it connects and fail at once
 * with UNAVAILABLE while it backs off. Never retries a call.
 *
 *   idle ──call──► connecting ──server settings──► ready ──lost or GOAWAY──► idle
 *                      └──failed──► waiting ──call after the back-off──► connecting
 *
 * Invariants: at most one session takes new calls; a session that got GOAWAY
 * finishes its calls and closes; after close() no session and no stream is left.
 */
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import { GrpcExchange, type GrpcRequest } from './grpc-exchange.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

export interface GrpcChannelSettings {
  readonly socketPath: string;
  readonly clock: Clock;
  /** A number in [0, 1) for the jitter of the back-off. */
  readonly random: () => number;
  readonly maxReceiveBytes?: number;
  /** Told about every connection made and lost. */
  readonly onConnection?: (state: 'connected' | 'lost' | 'failed', reason: string) => void;
}

const MAX_RECEIVE_BYTES = 16 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
const BACK_OFF = { baseMs: 100, factor: 1.6, jitter: 0.2, maxMs: 3_000 };
const STREAM_WINDOW_BYTES = 1024 * 1024;
const SESSION_WINDOW_BYTES = 4 * STREAM_WINDOW_BYTES;

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly session: Promise<ClientHttp2Session> }
  | { readonly kind: 'ready'; readonly session: ClientHttp2Session }
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly reason: string }
  | { readonly kind: 'closed' };

/** The wait after the given number of failed tries, from 0. `random` is in [0, 1). */
export function computeReconnectDelay(failures: number, random: number): number {
  const delayMs = Math.min(BACK_OFF.baseMs * BACK_OFF.factor ** failures, BACK_OFF.maxMs);
  return delayMs * (1 + BACK_OFF.jitter * (2 * random - 1));
}

export class GrpcChannel {
  readonly #settings: GrpcChannelSettings;
  readonly #sessions = new Set<ClientHttp2Session>();
  readonly #calls = new Set<GrpcExchange>();
  #state: State = { kind: 'idle' };
  #failures = 0;
  #openStreams = 0;

  constructor(settings: GrpcChannelSettings) {
    this.#settings = settings;
  }

  /** Connections that exist, including those that only finish their calls. */
  get openSessions(): number {
    return this.#sessions.size;
  }

  get openStreams(): number {
    return this.#openStreams;
  }

  /** Makes one call; resolves when the server ended it with OK, rejects with GrpcError. */
  async call(request: GrpcRequest): Promise<void> {
    const { signal, timeoutMs } = request;
    const exchange = new GrpcExchange(request, this.#settings.maxReceiveBytes ?? MAX_RECEIVE_BYTES);
    const cancel = (): void => exchange.fail(new GrpcError(GrpcCode.CANCELLED, 'context canceled'));
    const expire = (): void =>
      exchange.fail(new GrpcError(GrpcCode.DEADLINE_EXCEEDED, 'context deadline exceeded'));
    using _deadline =
      timeoutMs === undefined ? undefined : this.#settings.clock.startTimer(timeoutMs, expire);
    signal?.addEventListener('abort', cancel, { once: true });
    this.#calls.add(exchange);
    if (signal?.aborted) cancel();
    else void this.#start(exchange);
    try {
      await exchange.done;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#calls.delete(exchange);
    }
  }

  /** Ends all calls with CANCELLED and drops the connection; resolves when it is gone. Later calls fail. */
  async close(): Promise<void> {
    this.#state = { kind: 'closed' };
    for (const call of this.#calls) call.fail(new GrpcError(GrpcCode.CANCELLED, 'the client is closing'));
    const gone = [...this.#sessions].map(
      (session) => new Promise((resolve) => session.once('close', resolve)),
    );
    for (const session of this.#sessions) session.destroy();
    await Promise.all(gone);
  }

  async #start(exchange: GrpcExchange): Promise<void> {
    try {
      const session = await this.#session();
      if (exchange.start(session, () => this.#openStreams--)) this.#openStreams++;
    } catch (error) {
      exchange.fail(error instanceof GrpcError ? error : unavailable(errorText(error)));
    }
  }

  async #session(): Promise<ClientHttp2Session> {
    const state = this.#state;
    switch (state.kind) {
      case 'ready':
      case 'connecting':
        return state.session;
      case 'closed':
        throw new GrpcError(GrpcCode.CANCELLED, 'the client is closed');
      case 'waiting':
        if (this.#settings.clock.now() < state.untilMs) throw unavailable(state.reason);
        return this.#connect();
      case 'idle':
        return this.#connect();
    }
  }

  #connect(): Promise<ClientHttp2Session> {
    const { socketPath, clock } = this.#settings;
    const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
    const session = connect('http://localhost', {
      createConnection: () => connectSocket(socketPath),
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    this.#sessions.add(session);
    this.#state = { kind: 'connecting', session: promise };
    let reason = 'connection closed';
    const timer = clock.startTimer(CONNECT_TIMEOUT_MS, () =>
      session.destroy(new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000}s`)),
    );
    session.on('error', (error) => {
      reason = errorText(error);
    });
    session.once('connect', () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
    // Only a server that sent its settings speaks HTTP/2 and is alive.
    session.once('remoteSettings', () => {
      timer[Symbol.dispose]();
      this.#becomeReady(session);
      resolve(session);
    });
    session.once('goaway', () => this.#retire(session, 'the server is going away'));
    session.once('close', () => {
      timer[Symbol.dispose]();
      this.#sessions.delete(session);
      this.#retire(session, reason);
      if (this.#state.kind === 'connecting' && this.#state.session === promise) this.#backOff(reason);
      reject(unavailable(this.#describe(reason)));
    });
    promise.catch(() => {});
    return promise;
  }

  #becomeReady(session: ClientHttp2Session): void {
    if (this.#state.kind === 'closed') return;
    this.#failures = 0;
    this.#state = { kind: 'ready', session };
    this.#settings.onConnection?.('connected', '');
  }

  /** Takes no new calls on a session; those under way go on. */
  #retire(session: ClientHttp2Session, reason: string): void {
    if (this.#state.kind !== 'ready' || this.#state.session !== session) return;
    this.#state = { kind: 'idle' };
    if (!session.closed) session.close();
    this.#settings.onConnection?.('lost', reason);
  }

  #backOff(reason: string): void {
    const { clock, random, onConnection } = this.#settings;
    const untilMs = clock.now() + computeReconnectDelay(this.#failures++, random());
    this.#state = { kind: 'waiting', untilMs, reason: this.#describe(reason) };
    onConnection?.('failed', reason);
  }

  #describe(reason: string): string {
    return `connection error: desc = "transport: error while dialing unix ${this.#settings.socketPath}: ${reason}"`;
  }
}

function unavailable(message: string): GrpcError {
  return new GrpcError(GrpcCode.UNAVAILABLE, message);
}
