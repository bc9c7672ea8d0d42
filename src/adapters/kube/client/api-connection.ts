/**
 * One HTTP/2 connection to the API server, made when first needed and again
 * after a loss. A silent peer is found by ping: nothing received for
 * `readIdleMs` and no answer to a ping within `pingTimeoutMs` ends the
 * connection and with it every request on it.
 *
 *   idle ──request──► connecting ──server settings──► ready ──lost, GOAWAY, renew──► idle
 *                         └──failed──► waiting ──request after the back-off──► connecting
 *
 * Invariants: at most one session takes new requests; one that got GOAWAY
 * finishes what it has; after close() no session, timer or socket is left.
 */
import { type ClientHttp2Session, connect } from 'node:http2';
import type { Socket } from 'node:net';
import { abortable } from '../../../base/async/abortable.ts';
import { Deadline } from '../../../base/async/deadline.ts';
import { onAbort } from '../../../base/async/on-abort.ts';
import { computeRetryDelay } from '../../../base/async/retry-delay.ts';
import { errorText } from '../../../base/errors.ts';
import type { Kit } from '../../../ports/kit.ts';
import type { SocketDial } from './dial.ts';
import { type ApiHttpRequest, type HttpResponse, runExchange, TransportError } from './http-exchange.ts';
import { watchPeer } from './watch-peer.ts';

/** Times of a connection; each has a default. */
export interface ConnectionTiming {
  readonly readIdleMs?: number;
  readonly pingTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** The most that requests fail at once after connecting failed. */
  readonly maxBackOffMs?: number;
}

export interface ApiConnectionSettings {
  /** Names the connection in log lines. */
  readonly name: string;
  /** Scheme, host and port, as in the kubeconfig. */
  readonly origin: string;
  readonly dial: SocketDial;
  readonly kit: Pick<Kit, 'clock' | 'random' | 'logger'>;
  readonly timing: ConnectionTiming;
}

/** Silence is measured in steps of readIdleMs, so a dead peer is noticed within twice that plus the ping: 15 s. */
const READ_IDLE_MS = 5_000;
const PING_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
const BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 3_000;
const STREAM_WINDOW_BYTES = 1024 * 1024;
const SESSION_WINDOW_BYTES = 4 * STREAM_WINDOW_BYTES;
/** What kube-apiserver allows; until the server announces its own limit. */
const USUAL_MAX_STREAMS = 100;

/** A way to the API server: one connection, or several that look like one. */
export interface ApiLink {
  readonly connects: number;
  exchange(request: ApiHttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  checkPeer(): void;
  renew(reason: string): void;
  close(): Promise<void>;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly session: Promise<ClientHttp2Session> }
  | { readonly kind: 'ready'; readonly session: ClientHttp2Session; readonly checkNow: () => void }
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly reason: string }
  | { readonly kind: 'closed' };

export class ApiConnection implements ApiLink {
  readonly #settings: ApiConnectionSettings;
  readonly #sessions = new Set<ClientHttp2Session>();
  #stopDial = new AbortController();
  #state: State = { kind: 'idle' };
  #failures = 0;
  #connects = 0;
  #load = 0;
  #streams = 0;
  #maxStreams = USUAL_MAX_STREAMS;

  constructor(settings: ApiConnectionSettings) {
    this.#settings = settings;
  }

  /** Connections made so far. */
  get connects(): number {
    return this.#connects;
  }

  /** Requests under way or waiting for the connection. */
  get load(): number {
    return this.#load;
  }

  /** True when one more request would have to wait for the end of another. */
  get full(): boolean {
    return this.#load >= this.#maxStreams;
  }

  /**
   * Sends one request; rejects with TransportError, `signal.reason`, or what
   * `onData` threw. The delivery is `full` when the server allows no more.
   */
  async exchange(request: ApiHttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    this.#load++;
    try {
      const session = await abortable(this.#session(), signal);
      // Node would keep the request until another ends; a watch may take minutes for that.
      if (this.#streams >= this.#maxStreams) throw new TransportError('full', 'no stream is free');
      this.#streams++;
      return await runExchange(session, request, signal).finally(() => this.#streams--);
    } finally {
      this.#load--;
    }
  }

  /** Asks the peer for a sign of life now, because a request on it ran into its deadline. */
  checkPeer(): void {
    if (this.#state.kind === 'ready') this.#state.checkNow();
  }

  /** Drops the connection with all its requests; the next request makes a new one. */
  renew(reason: string): void {
    if (this.#state.kind === 'closed') return;
    this.#state = { kind: 'idle' };
    this.#stopDial.abort(new Error(reason));
    this.#stopDial = new AbortController();
    for (const session of this.#sessions) session.destroy(new Error(reason));
  }

  /** Ends every request and drops the connection; resolves when it is gone. Later requests fail. */
  async close(): Promise<void> {
    this.#state = { kind: 'closed' };
    this.#stopDial.abort(new Error('the client is closing'));
    const gone = [...this.#sessions].map(
      (session) => new Promise<void>((resolve) => session.once('close', resolve)),
    );
    for (const session of this.#sessions) session.destroy(new Error('the client is closing'));
    await Promise.all(gone);
  }

  async #session(): Promise<ClientHttp2Session> {
    const state = this.#state;
    switch (state.kind) {
      case 'ready':
      case 'connecting':
        return state.session;
      case 'closed':
        throw new TransportError('unconnected', 'the client is closed');
      case 'waiting':
        if (this.#settings.kit.clock.now() < state.untilMs)
          throw new TransportError('unconnected', state.reason);
        return this.#startConnecting();
      case 'idle':
        return this.#startConnecting();
    }
  }

  #startConnecting(): Promise<ClientHttp2Session> {
    const session = this.#connect(this.#stopDial.signal);
    const state: State = { kind: 'connecting', session };
    this.#state = state;
    session.then(
      () =>
        this.#settings.kit.logger.debug({ file: 'api-connection', level: 2 }, 'connected to the API server', {
          connection: this.#settings.name,
        }),
      (error: unknown) => {
        if (this.#state === state) this.#backOff(errorText(error));
      },
    );
    return session;
  }

  async #connect(renewed: AbortSignal): Promise<ClientHttp2Session> {
    const { kit, dial, timing } = this.#settings;
    const { clock } = kit;
    const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = timing;
    const reason = new Error(`no connection within ${connectTimeoutMs} ms`);
    using deadline = new Deadline(clock, { timeoutMs: connectTimeoutMs, signal: renewed, reason });
    try {
      const socket = await dial(deadline.signal);
      return await this.#openSession(socket, deadline.signal);
    } catch (error) {
      throw new TransportError('unconnected', errorText(error));
    }
  }

  #openSession(socket: Socket, signal: AbortSignal): Promise<ClientHttp2Session> {
    const { origin, kit, timing } = this.#settings;
    const { clock } = kit;
    const { readIdleMs = READ_IDLE_MS, pingTimeoutMs = PING_TIMEOUT_MS } = timing;
    const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
    const session = connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      // Node counts what waits to be sent, and keeps counting it for a stream that was reset: past its default of
      // 10 MB it would refuse the headers of every later answer.
      maxSessionMemory: 2 ** 32 - 1,
      // The server's own limit comes with its settings; until then Node would stop at 100.
      peerMaxConcurrentStreams: 2 ** 32 - 1,
    });
    this.#sessions.add(session);
    const peer = watchPeer(session, socket, { clock, readIdleMs, pingTimeoutMs });
    let reason = 'the server closed the connection';
    session.on('error', (error) => {
      reason = errorText(error);
    });
    session.once('connect', () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
    // Only a server that sent its settings speaks HTTP/2 and is alive.
    session.once('remoteSettings', ({ maxConcurrentStreams = USUAL_MAX_STREAMS }) => {
      this.#maxStreams = Math.max(1, maxConcurrentStreams);
      listening[Symbol.dispose]();
      this.#becomeReady(session, peer.checkNow);
      resolve(session);
    });
    session.once('goaway', () => this.#retire(session, 'the server is going away'));
    session.once('close', () => {
      peer[Symbol.dispose]();
      listening[Symbol.dispose]();
      this.#sessions.delete(session);
      this.#retire(session, reason);
      reject(new Error(reason));
    });
    const listening = onAbort(signal, () => session.destroy(signal.reason));
    return promise;
  }

  #becomeReady(session: ClientHttp2Session, checkNow: () => void): void {
    this.#connects++;
    if (this.#state.kind !== 'connecting') return;
    this.#failures = 0;
    this.#state = { kind: 'ready', session, checkNow };
  }

  /** Takes no new requests on a session; those under way go on. */
  #retire(session: ClientHttp2Session, reason: string): void {
    if (this.#state.kind !== 'ready' || this.#state.session !== session) return;
    this.#state = { kind: 'idle' };
    if (!session.closed) session.close();
    this.#settings.kit.logger.debug(
      { file: 'api-connection', level: 1 },
      'connection to the API server lost',
      {
        connection: this.#settings.name,
        reason,
      },
    );
  }

  #backOff(reason: string): void {
    const { kit, timing } = this.#settings;
    const { clock, random } = kit;
    const { maxBackOffMs = MAX_BACK_OFF_MS } = timing;
    const policy = { initialMs: BACK_OFF_MS, maxMs: maxBackOffMs, least: 0.5, spread: 0.5 };
    const untilMs = clock.now() + computeRetryDelay(policy, this.#failures++, random());
    this.#state = { kind: 'waiting', untilMs, reason };
  }
}
