/**
 * How probes and hooks reach a container over the network. Implemented by
 * adapters/probe. No method rejects: an unreachable container is an expected
 * result, so it is a value with the text users know from events. No socket or
 * timer of a call is left open when it resolves.
 */
import type { HttpGetRequest } from '../../core/pod/http-action.ts';

export interface ProbeCallOptions {
  /** Ends the call early; the result is then meaningless. */
  readonly signal: AbortSignal;
  /** Covers everything from the look-up of the name to the last byte; absent means no limit. */
  readonly timeoutMs?: number;
}

export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** The beginning of the body. */
  readonly body: string;
}

export interface TransportFailure {
  readonly kind: 'failure';
  readonly message: string;
}

/** An HTTPS request met a server that speaks plain HTTP. */
export interface PlainHttpServer {
  readonly kind: 'plain-http';
  readonly message: string;
}

export interface ProbeTransport {
  /**
   * One GET without verification, keep-alive or compression. Redirects are
   * followed as long as they stay on the host; one that leaves it is the answer.
   */
  httpGet(
    request: HttpGetRequest,
    options: ProbeCallOptions,
  ): Promise<HttpAnswer | PlainHttpServer | TransportFailure>;
  /** Opens a TCP connection and closes it. */
  connect(host: string, port: number, options: ProbeCallOptions): Promise<TransportFailure | undefined>;
  /** Asks a gRPC server for the health of a service; undefined means it serves. */
  checkHealth(
    request: { readonly host: string; readonly port: number; readonly service: string },
    options: ProbeCallOptions & { readonly timeoutMs: number },
  ): Promise<TransportFailure | undefined>;
}
