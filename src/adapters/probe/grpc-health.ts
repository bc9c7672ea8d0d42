/**
 * The gRPC health check (`grpc.health.v1.Health/Check`) over plaintext
 * HTTP/2, on a connection of its own. One deadline covers connecting and the
 * call; the texts say which of the two failed.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { renderGoDuration } from '../../base/text/go-duration.ts';
import { quote } from '../../base/text/quote.ts';
import { joinHostPort } from '../../core/pod/http-action.ts';
import { PROBE_USER_AGENT } from '../../core/pod/probe-request.ts';
import { Health, HealthCheckResponse_ServingStatus, PACKAGE } from '../../gen/health.ts';
import type { ProbeCallOptions, TransportFailure } from '../../ports/runtime/probe-transport.ts';
import { toAgentError } from '../grpc/grpc-errors.ts';
import { GrpcExchange } from '../grpc/grpc-exchange.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';
import { H2Session } from '../h2/h2-session.ts';
import { renderConnectionError } from './connection-errors.ts';

const METHOD = Health.Check;
const PATH = `/${PACKAGE}.${METHOD.service}/${METHOD.name}`;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const STATUS_NAMES = new Map<number, string>(
  Object.entries(HealthCheckResponse_ServingStatus).map(([name, status]) => [status, name]),
);

export interface HealthRequest {
  readonly host: string;
  readonly port: number;
  readonly service: string;
}

/** Undefined when the service serves. */
export async function grpcHealth(
  clock: Clock,
  request: HealthRequest,
  options: ProbeCallOptions & { readonly timeoutMs: number },
): Promise<TransportFailure | undefined> {
  using deadline = new Deadline(clock, options);
  const address = joinHostPort(request.host, request.port);
  const within = renderGoDuration(options.timeoutMs);
  const settings = Promise.withResolvers<void>();
  const session = new H2Session(
    { host: request.host, port: request.port },
    {
      onReady: settings.resolve,
      onGoAway: () => {},
      onClose: (error) =>
        settings.reject(error ?? new Error('connection closed before server preface received')),
    },
  );
  try {
    using _listening = onAbort(deadline.signal, () => settings.reject(new Error('context canceled')));
    // Only a server that sent its settings speaks HTTP/2.
    await settings.promise;
  } catch (error) {
    session.destroy();
    const what = deadline.expired
      ? `timeout: failed to connect service ${quote(address)} within ${within}: context deadline exceeded`
      : `error: failed to connect service at ${quote(address)}: ${renderConnectionError(error, address)}`;
    return { kind: 'failure', message: what };
  }
  try {
    const status = await check(session, address, request.service, options.timeoutMs, deadline.signal);
    if (status === HealthCheckResponse_ServingStatus.SERVING) return undefined;
    const name = STATUS_NAMES.get(status) ?? String(status);
    return { kind: 'failure', message: `service unhealthy (responded with ${quote(name)})` };
  } catch (error) {
    return { kind: 'failure', message: renderCallError(error, deadline.expired, within) };
  } finally {
    session.destroy();
  }
}

/** The number of the serving status; rejects with GrpcError. */
async function check(
  session: H2Session,
  authority: string,
  service: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number> {
  let status = 0;
  const exchange = new GrpcExchange(
    {
      path: PATH,
      body: METHOD.encodeRequest({ service }),
      headers: { ':authority': authority, 'user-agent': PROBE_USER_AGENT },
      timeoutMs,
      onMessage: (message) => {
        status = METHOD.decodeResponse(message).status;
      },
    },
    MAX_ANSWER_BYTES,
  );
  const end = (): void => exchange.fail(new GrpcError(GrpcCode.CANCELLED, 'context canceled'));
  using _listening = onAbort(signal, end);
  if (!signal.aborted) exchange.start(session, () => {});
  await exchange.done;
  return status;
}

function renderCallError(error: unknown, expired: boolean, within: string): string {
  const { code, message } = error as GrpcError;
  if (expired || code === GrpcCode.DEADLINE_EXCEEDED)
    return `timeout: health rpc did not complete within ${within}`;
  if (code === GrpcCode.UNIMPLEMENTED)
    return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`;
  return `error: health rpc probe failed: ${toAgentError(error).message}`;
}
