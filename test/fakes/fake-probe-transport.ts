/**
 * Servers for probes and hooks, on virtual time. A test scripts the answer to
 * each kind of question; every call is logged with its time and none is left
 * open after its signal aborted or its time was up.
 */
import { type Clock, sleep } from '../../src/base/async/clock.ts';
import { type HttpGetRequest, joinHostPort } from '../../src/core/pod/http-action.ts';
import type {
  HttpAnswer,
  PlainHttpServer,
  ProbeCallOptions,
  ProbeTransport,
  TransportFailure,
} from '../../src/ports/runtime/probe-transport.ts';

export interface FakeProbeCall {
  readonly atMs: number;
  readonly kind: 'http' | 'tcp' | 'grpc';
  readonly address: string;
  readonly request?: HttpGetRequest;
}

export class FakeProbeTransport implements ProbeTransport {
  readonly #clock: Clock;
  readonly calls: FakeProbeCall[] = [];
  /** How long an answer takes. */
  latencyMs = 1;
  onHttp: (request: HttpGetRequest) => HttpAnswer | PlainHttpServer | TransportFailure = () => ({
    kind: 'answer',
    status: 200,
    body: 'ok',
  });
  onTcp: (address: string) => TransportFailure | undefined = () => undefined;
  onGrpc: (address: string, service: string) => TransportFailure | undefined = () => undefined;
  #open = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls that have not ended, for leak checks. */
  get open(): number {
    return this.#open;
  }

  httpGet(request: HttpGetRequest, options: ProbeCallOptions): ReturnType<ProbeTransport['httpGet']> {
    this.#log('http', joinHostPort(request.host, request.port), request);
    return this.#answer(options, () => this.onHttp(request));
  }

  connect(host: string, port: number, options: ProbeCallOptions): ReturnType<ProbeTransport['connect']> {
    const address = joinHostPort(host, port);
    this.#log('tcp', address);
    return this.#answer(options, () => this.onTcp(address));
  }

  checkHealth(
    { host, port, service }: { readonly host: string; readonly port: number; readonly service: string },
    options: ProbeCallOptions,
  ): ReturnType<ProbeTransport['checkHealth']> {
    const address = joinHostPort(host, port);
    this.#log('grpc', address);
    return this.#answer(options, () => this.onGrpc(address, service));
  }

  #log(kind: FakeProbeCall['kind'], address: string, request?: HttpGetRequest): void {
    const call = { atMs: this.#clock.now(), kind, address };
    this.calls.push(request === undefined ? call : { ...call, request });
  }

  async #answer<T>(
    { signal, timeoutMs = Number.POSITIVE_INFINITY }: ProbeCallOptions,
    answer: () => T,
  ): Promise<T | TransportFailure> {
    this.#open++;
    await sleep(this.#clock, Math.min(this.latencyMs, timeoutMs), signal);
    this.#open--;
    if (signal.aborted) return { kind: 'failure', message: 'cancelled' };
    return this.latencyMs > timeoutMs ? { kind: 'failure', message: 'timed out' } : answer();
  }
}
