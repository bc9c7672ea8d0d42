/**
 * Carries one API call through: waits for its turn, adds credentials, sends it
 * on the connection of its priority, retries what is safe to retry and maps
 * failures to AgentError.
 *
 * Invariants: no call outlives its deadline or its signal; heartbeats never
 * wait behind other calls and never share a connection with them.
 */
import { sleep } from '../../../base/async/clock.ts';
import { Deadline } from '../../../base/async/deadline.ts';
import { AgentError, errorText } from '../../../base/errors.ts';
import type { ApiCallOptions, CallPriority } from '../../../ports/cluster/api-server.ts';
import type { Kit } from '../../../ports/kit.ts';
import { inSpan, type SpanStart } from '../../../ports/tracer.ts';
import type { CredentialSource } from '../credentials/credential-source.ts';
import type { ApiLink } from './api-connection.ts';
import { parseStatus, toApiError } from './api-error.ts';
import { decideRetry, type Failure } from './decide-retry.ts';
import { type ApiHttpRequest, type HttpResponse, TransportError } from './http-exchange.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface ApiCall {
  /** What it is for, such as `get pods "default/web"`. */
  readonly action: string;
  readonly method: ApiHttpRequest['method'];
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  /** Takes the answer as it comes; see ApiHttpRequest. */
  readonly onData?: (chunk: Buffer) => void;
  /** Instead of the one of the priority. Infinity for a watch, which has its own deadlines. */
  readonly timeoutMs?: number;
}

/** One attempt of a call, for metrics. */
export interface ApiExchange {
  readonly method: string;
  /** The status as text; `<error>` when there was no answer. */
  readonly code: string;
  /** How long it waited for its turn; absent when it need not wait for one. */
  readonly queuedMs?: number;
  readonly durationMs: number;
  readonly requestBytes: number;
  /** Absent for a watch. */
  readonly responseBytes?: number;
}

export interface ApiCallerSettings {
  readonly kit: Pick<Kit, 'clock' | 'random' | 'tracer'>;
  readonly links: { readonly main: ApiLink; readonly heartbeat: ApiLink };
  readonly turns: {
    /** Shared by `status` and `normal` calls. */
    readonly calls: TurnQueue;
    readonly events: TurnQueue;
  };
  readonly timeouts: { readonly callMs: number; readonly heartbeatMs: number };
  readonly credentials: Pick<CredentialSource, 'current' | 'renew'>;
  /** Before every path, from the server URL; '' for none. */
  readonly pathPrefix: string;
  readonly userAgent: string;
  readonly observe: ((exchange: ApiExchange) => void) | undefined;
}

const RANKS: Readonly<Record<CallPriority, number>> = { heartbeat: 0, status: 1, normal: 2, events: 3 };

/** What calls over HTTP are known by among spans. */
const TRACE_SCOPE = 'go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp';

/** Why a call was cut short from our side. */
const TIMED_OUT = Symbol('timed out');

type Outcome =
  | { readonly response: HttpResponse }
  | { readonly failure: Failure; readonly error: AgentError };

export class ApiCaller {
  readonly #settings: ApiCallerSettings;

  constructor(settings: ApiCallerSettings) {
    this.#settings = settings;
  }

  /** The answer with a status of 2xx; everything else rejects with AgentError. */
  async call(call: ApiCall, options: ApiCallOptions = {}): Promise<HttpResponse> {
    const { kit, timeouts } = this.#settings;
    const { clock } = kit;
    const priority = options.priority ?? 'normal';
    const usualMs = priority === 'heartbeat' ? timeouts.heartbeatMs : timeouts.callMs;
    const timeoutMs = options.timeoutMs ?? call.timeoutMs ?? usualMs;
    using deadline = new Deadline(clock, {
      timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : undefined,
      signal: options.signal,
      reason: TIMED_OUT,
    });
    try {
      return await this.#tryUntilDone(call, priority, deadline.signal);
    } catch (error) {
      if (!deadline.signal.aborted) throw toAgentError(call, error);
      if (!deadline.expired) throw new AgentError('cancelled', `cannot ${call.action}: cancelled`);
      // Slow, or gone? A ping finds out, so that the next call does not time out too.
      this.#connection(priority).checkPeer();
      throw new AgentError('deadline-exceeded', `cannot ${call.action}: no answer within ${timeoutMs} ms`);
    }
  }

  async #tryUntilDone(call: ApiCall, priority: CallPriority, signal: AbortSignal): Promise<HttpResponse> {
    const { kit, credentials } = this.#settings;
    const { clock, random } = kit;
    for (let tries = 1, renewed = false; ; tries++) {
      const outcome = await this.#tryOnce(call, priority, signal);
      if ('response' in outcome) return outcome.response;
      const { failure, error } = outcome;
      if (!renewed && error.code === 'unauthenticated' && (await credentials.renew())) {
        renewed = true;
        continue;
      }
      // A watch is not repeated here: the part of it that came must not come twice.
      const harmless = call.method === 'GET' && call.onData === undefined;
      const delayMs = decideRetry(failure, tries, harmless, random());
      if (delayMs === undefined) throw error;
      await sleep(clock, delayMs, signal);
      signal.throwIfAborted();
    }
  }

  async #tryOnce(call: ApiCall, priority: CallPriority, signal: AbortSignal): Promise<Outcome> {
    const { clock } = this.#settings.kit;
    const queuedAtMs = clock.steady();
    await this.#turn(priority, signal);
    const request = await this.#toRequest(call);
    const startedAtMs = clock.steady();
    const count = (response?: HttpResponse): void =>
      this.#settings.observe?.({
        method: call.method,
        code: String(response?.status ?? '<error>'),
        ...(priority === 'heartbeat' ? {} : { queuedMs: startedAtMs - queuedAtMs }),
        durationMs: clock.steady() - startedAtMs,
        requestBytes: Buffer.byteLength(request.body ?? ''),
        ...(call.onData === undefined ? { responseBytes: response?.body.length ?? 0 } : {}),
      });
    try {
      const response = await this.#exchange(request, priority, signal);
      count(response);
      if (response.status >= 200 && response.status < 300) return { response };
      const status = parseStatus(response);
      return { failure: { kind: 'answered', status }, error: toApiError(call.action, status) };
    } catch (error) {
      if (!signal.aborted) count();
      if (!(error instanceof TransportError)) throw error;
      const failure: Failure = { kind: 'unanswered', delivery: error.delivery };
      return { failure, error: toAgentError(call, error) };
    }
  }

  #exchange(request: ApiHttpRequest, priority: CallPriority, signal: AbortSignal): Promise<HttpResponse> {
    const link = this.#connection(priority);
    const { method, path } = request;
    const start = (): SpanStart => ({
      name: `HTTP ${method}`,
      scope: TRACE_SCOPE,
      kind: 'client',
      // Without the query: a name in it is in the path as well, and all else is of no use here.
      attributes: { 'http.request.method': method, 'url.path': path.split('?')[0] },
    });
    return inSpan(this.#settings.kit.tracer, start, async (span) => {
      const response = await link.exchange(
        { ...request, headers: { ...request.headers, ...span.headers } },
        signal,
      );
      span.set({ 'http.response.status_code': response.status });
      if (response.status >= 400) span.fail('');
      return response;
    });
  }

  #turn(priority: CallPriority, signal: AbortSignal): Promise<void> {
    if (priority === 'heartbeat') return Promise.resolve();
    const { calls, events } = this.#settings.turns;
    const queue = priority === 'events' ? events : calls;
    return queue.take(RANKS[priority], signal);
  }

  #connection(priority: CallPriority): ApiLink {
    const { main, heartbeat } = this.#settings.links;
    return priority === 'heartbeat' ? heartbeat : main;
  }

  async #toRequest(call: ApiCall): Promise<ApiHttpRequest> {
    const { headers } = await this.#settings.credentials.current();
    return {
      method: call.method,
      path: this.#settings.pathPrefix + call.path,
      headers: {
        accept: 'application/json',
        'user-agent': this.#settings.userAgent,
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
        ...headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...(call.onData === undefined ? {} : { onData: call.onData }),
    };
  }
}

function toAgentError(call: ApiCall, error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const code = error instanceof TransportError ? 'unavailable' : 'unknown';
  return new AgentError(code, `cannot ${call.action}: ${errorText(error)}`, { cause: error });
}
