/** Probes and hooks over the machine's own network, on the given clock. */
import type { Clock } from '../../base/async/clock.ts';
import type { HttpGetRequest } from '../../core/pod/http-action.ts';
import type { ProbeCallOptions, ProbeTransport } from '../../ports/runtime/probe-transport.ts';
import { grpcHealth, type HealthRequest } from './grpc-health.ts';
import { httpGet } from './http-get.ts';
import { tcpConnect } from './tcp-connect.ts';

export class NetworkProbeTransport implements ProbeTransport {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  httpGet(request: HttpGetRequest, options: ProbeCallOptions): ReturnType<ProbeTransport['httpGet']> {
    return httpGet(this.#clock, request, options);
  }

  connect(host: string, port: number, options: ProbeCallOptions): ReturnType<ProbeTransport['connect']> {
    return tcpConnect(this.#clock, host, port, options);
  }

  checkHealth(
    request: HealthRequest,
    options: ProbeCallOptions & { readonly timeoutMs: number },
  ): ReturnType<ProbeTransport['checkHealth']> {
    return grpcHealth(this.#clock, request, options);
  }
}
