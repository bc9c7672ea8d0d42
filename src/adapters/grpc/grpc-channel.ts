/**
 * A gRPC connection to one unix socket or TCP port. Connects when first called and again
 * after a loss, with back-off; calls wait while it connects and fail at once
 * with UNAVAILABLE while it backs off. Never retries a call.
 *
 *   down ──call after the back-off──► up (connecting, then ready) ──failed, lost or GOAWAY──► down
 *
 * Invariants: at most one session takes new calls; a session that got GOAWAY
 * finishes its calls and closes; after close() no session and no stream is left.
 */
import type { NetConnectOpts } from 'node:net';
import type { Clock } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { SharedTimer } from '../../base/async/shared-timer.ts';
import { errorText } from '../../base/errors.ts';
import { H2Session } from '../h2/h2-session.ts';
import { GrpcExchange, type GrpcRequest } from './grpc-exchange.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

export interface TcpPlace {
  readonly host: string;
  readonly port: number;
}

export interface GrpcChannelSettings {
  /** A unix socket, unless it names a port. */
  readonly socketPath: string | TcpPlace;
  readonly clock: Clock;
  /** A number in [0, 1) for the jitter of the back-off. */
  readonly random: () => number;
  readonly maxReceiveBytes?: number;
  /** Called for every connection made and lost. */
  readonly onConnection?: (state: 'connected' | 'lost' | 'failed', reason: string) => void;
}

const MAX_RECEIVE_BYTES = 16 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
/** Limits that are computed, such as a grace period, are not worth being remembered. */
const MAX_SHARED_LIMITS = 8;
/** Of connecting again. */
export const RECONNECT: RetryPolicy = { initialMs: 100, maxMs: 3_000, factor: 1.6, least: 0.8, spread: 0.4 };

type State =
  | { readonly kind: 'down'; readonly untilMs: number; readonly error: GrpcError }
  | {
      readonly kind: 'up';
      readonly session: H2Session;
      /** The server has sent its settings. */
      readonly isConnected: () => boolean;
      readonly ready: Promise<H2Session>;
    }
  | { readonly kind: 'closed'; readonly error: GrpcError };

const NOT_CONNECTED: State = { kind: 'down', untilMs: 0, error: unavailable('not connected') };

export class GrpcChannel {
  readonly #settings: GrpcChannelSettings;
  readonly #sessions = new Set<H2Session>();
  readonly #calls = new Set<GrpcExchange>();
  /** By time limit; few kinds of calls have one of their own. */
  readonly #limits = new Map<number, SharedTimer>();
  #state: State = NOT_CONNECTED;
  #failures = 0;
  #openStreams = 0;
  /** Of a channel that closes: resolves when no session is left. */
  #gone: PromiseWithResolvers<void> | undefined;

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
    using _deadline = timeoutMs === undefined ? undefined : this.#limitOf(timeoutMs).start(expire);
    using _listening = onAbort(signal, cancel);
    this.#calls.add(exchange);
    if (!signal?.aborted) void this.#start(exchange);
    try {
      await exchange.done;
    } finally {
      this.#calls.delete(exchange);
    }
  }

  #limitOf(timeoutMs: number): SharedTimer {
    const known = this.#limits.get(timeoutMs);
    if (known !== undefined) return known;
    const limit = new SharedTimer(this.#settings.clock, timeoutMs);
    if (this.#limits.size < MAX_SHARED_LIMITS) this.#limits.set(timeoutMs, limit);
    return limit;
  }

  /** Connects when there is no connection; resolves when there is one, rejects with GrpcError. */
  async connect(): Promise<void> {
    try {
      await this.#session();
    } catch (error) {
      throw error instanceof GrpcError ? error : unavailable(errorText(error));
    }
  }

  /** Ends all calls with CANCELLED and drops the connection; resolves when it is gone. Later calls fail. */
  async close(): Promise<void> {
    this.#state = { kind: 'closed', error: new GrpcError(GrpcCode.CANCELLED, 'the client is closed') };
    for (const call of this.#calls) call.fail(new GrpcError(GrpcCode.CANCELLED, 'the client is closing'));
    this.#gone ??= Promise.withResolvers();
    if (this.#sessions.size === 0) this.#gone.resolve();
    for (const session of this.#sessions) session.destroy();
    await this.#gone.promise;
  }

  async #start(exchange: GrpcExchange): Promise<void> {
    try {
      const session = await this.#session();
      if (exchange.start(session, () => this.#openStreams--)) this.#openStreams++;
    } catch (error) {
      exchange.fail(error instanceof GrpcError ? error : unavailable(errorText(error)));
    }
  }

  async #session(): Promise<H2Session> {
    const state = this.#state;
    if (state.kind === 'up') {
      if (!state.session.isDestroyed || !state.isConnected()) return state.ready;
      // Its calls have failed already and its 'close' is to come: a call between the two gets a new connection.
      this.#leave(state.session, 'lost', 'connection closed');
      return this.#connect();
    }
    if (state.kind === 'closed' || this.#settings.clock.steady() < state.untilMs) throw state.error;
    return this.#connect();
  }

  #connect(): Promise<H2Session> {
    const { clock, random, onConnection } = this.#settings;
    const { target, dialed } = toTarget(this.#settings.socketPath);
    const ready = Promise.withResolvers<H2Session>();
    let connected = false;
    const session: H2Session = new H2Session(target, {
      onReady: () => {
        timer[Symbol.dispose]();
        this.#failures = 0;
        connected = true;
        ready.resolve(session);
        onConnection?.('connected', '');
      },
      onGoAway: () => this.#leave(session, 'lost', 'the server is going away'),
      onClose: (error) => {
        timer[Symbol.dispose]();
        this.#sessions.delete(session);
        if (this.#sessions.size === 0) this.#gone?.resolve();
        const reason = error === undefined ? 'connection closed' : errorText(error);
        if (connected) return this.#leave(session, 'lost', reason);
        const where = `transport: error while dialing ${dialed}: ${reason}`;
        const refusal = unavailable(`connection error: desc = "${where}"`);
        const untilMs = clock.steady() + computeRetryDelay(RECONNECT, this.#failures++, random());
        this.#leave(session, 'failed', reason, { kind: 'down', untilMs, error: refusal });
        ready.reject(refusal);
      },
    });
    const giveUp = (): void => session.destroy(new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000}s`));
    const timer = clock.startTimer(CONNECT_TIMEOUT_MS, giveUp);
    this.#sessions.add(session);
    this.#state = { kind: 'up', session, isConnected: () => connected, ready: ready.promise };
    ready.promise.catch(() => {});
    return ready.promise;
  }

  /** Takes no new calls on a session; those under way go on. */
  #leave(session: H2Session, how: 'lost' | 'failed', reason: string, next: State = NOT_CONNECTED): void {
    if (this.#state.kind !== 'up' || this.#state.session !== session) return;
    this.#state = next;
    session.close();
    this.#settings.onConnection?.(how, reason);
  }
}

interface Target {
  readonly target: NetConnectOpts;
  /** For people. */
  readonly dialed: string;
}

function toTarget(place: string | TcpPlace): Target {
  if (typeof place === 'string') return { target: { path: place }, dialed: `unix ${place}` };
  const { host, port } = place;
  return { target: { host, port }, dialed: `tcp ${host.includes(':') ? `[${host}]` : host}:${port}` };
}

function unavailable(message: string): GrpcError {
  return new GrpcError(GrpcCode.UNAVAILABLE, message);
}
