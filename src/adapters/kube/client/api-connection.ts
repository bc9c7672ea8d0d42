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
import type { Socket } from 'node:net';
import { abortable } from '../../../base/async/abortable.ts';
import { Deadline } from '../../../base/async/deadline.ts';
import { onAbort } from '../../../base/async/on-abort.ts';
import { computeRetryDelay } from '../../../base/async/retry-delay.ts';
import { errorText } from '../../../base/errors.ts';
import type { Kit } from '../../../ports/kit.ts';
import { H2Session } from '../../h2/h2-session.ts';
import type { SocketDial } from './dial.ts';
import { type ApiHttpRequest, type HttpResponse, runExchange, TransportError } from './http-exchange.ts';
import { RequestHead } from './request-head.ts';
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
  | { readonly kind: 'connecting'; readonly session: Promise<H2Session> }
  | { readonly kind: 'ready'; readonly session: H2Session; readonly checkNow: () => void }
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly reason: string }
  | { readonly kind: 'closed' };

export class ApiConnection implements ApiLink {
  readonly #settings: ApiConnectionSettings;
  readonly #head: RequestHead;
  readonly #sessions = new Set<H2Session>();
  #stopDial = new AbortController();
  #state: State = { kind: 'idle' };
  #failures = 0;
  #connects = 0;
  #load = 0;
  #streams = 0;
  #maxStreams = USUAL_MAX_STREAMS;
  /** Of a connection that closes: resolves when no session is left. */
  #gone: PromiseWithResolvers<void> | undefined;

  constructor(settings: ApiConnectionSettings) {
    this.#settings = settings;
    this.#head = new RequestHead(settings.origin);
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
    if (this.#state.kind === 'ready') this.#maxStreams = toLimit(this.#state.session);
    return this.#load >= this.#maxStreams;
  }

  /**
   * Sends one request; rejects with TransportError, `signal.reason`, or what
   * `onData` threw. The delivery is `full` when the server allows no more.
   */
  async exchange(request: ApiHttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    this.#load++;
    let streams = 0;
    try {
      const session = this.#ready() ?? (await abortable(this.#session(), signal));
      // It would wait until another ends; a watch may take minutes for that.
      if (this.#streams >= toLimit(session)) throw new TransportError('full', 'no stream is free');
      streams = 1;
      this.#streams++;
      return await runExchange({ session, head: this.#head }, request, signal);
    } finally {
      this.#load--;
      this.#streams -= streams;
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
    this.#gone ??= Promise.withResolvers();
    if (this.#sessions.size === 0) this.#gone.resolve();
    for (const session of this.#sessions) session.destroy(new Error('the client is closing'));
    await this.#gone.promise;
  }

  #ready(): H2Session | undefined {
    if (this.#state.kind !== 'ready') return undefined;
    const { session } = this.#state;
    if (!session.isDestroyed) return session;
    // Its requests fail and its end is to come: a request between the two gets a new connection.
    this.#retire(session, 'connection closed');
    return undefined;
  }

  async #session(): Promise<H2Session> {
    const state = this.#state;
    switch (state.kind) {
      case 'ready':
      case 'connecting':
        return state.session;
      case 'closed':
        throw new TransportError('unconnected', 'the client is closed');
      case 'waiting':
        if (this.#settings.kit.clock.steady() < state.untilMs)
          throw new TransportError('unconnected', state.reason);
        return this.#startConnecting();
      case 'idle':
        return this.#startConnecting();
    }
  }

  #startConnecting(): Promise<H2Session> {
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

  async #connect(renewed: AbortSignal): Promise<H2Session> {
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

  #openSession(socket: Socket, signal: AbortSignal): Promise<H2Session> {
    const { kit, timing } = this.#settings;
    const { clock } = kit;
    const { readIdleMs = READ_IDLE_MS, pingTimeoutMs = PING_TIMEOUT_MS } = timing;
    const { promise, resolve, reject } = Promise.withResolvers<H2Session>();
    const session: H2Session = new H2Session(socket, {
      // Only a server that sent its settings speaks HTTP/2 and is alive.
      onReady: () => {
        listening[Symbol.dispose]();
        this.#becomeReady(session, peer.checkNow);
        resolve(session);
      },
      onGoAway: () => this.#retire(session, 'the server is going away'),
      onClose: (error) => {
        peer[Symbol.dispose]();
        listening[Symbol.dispose]();
        this.#sessions.delete(session);
        if (this.#sessions.size === 0) this.#gone?.resolve();
        const reason = error === undefined ? 'the server closed the connection' : errorText(error);
        this.#retire(session, reason);
        reject(new Error(reason));
      },
    });
    this.#sessions.add(session);
    const peer = watchPeer(session, socket, { clock, readIdleMs, pingTimeoutMs });
    const listening = onAbort(signal, () => session.destroy(new Error(errorText(signal.reason))));
    return promise;
  }

  #becomeReady(session: H2Session, checkNow: () => void): void {
    this.#connects++;
    if (this.#state.kind !== 'connecting') return;
    this.#failures = 0;
    this.#state = { kind: 'ready', session, checkNow };
  }

  /** Takes no new requests on a session; those under way go on. */
  #retire(session: H2Session, reason: string): void {
    if (this.#state.kind !== 'ready' || this.#state.session !== session) return;
    this.#state = { kind: 'idle' };
    session.close();
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
    const untilMs = clock.steady() + computeRetryDelay(policy, this.#failures++, random());
    this.#state = { kind: 'waiting', untilMs, reason };
  }
}

/** A server that allows none for now will allow one. */
function toLimit(session: H2Session): number {
  return Math.max(1, session.maxStreams);
}
