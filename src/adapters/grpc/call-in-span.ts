/** A gRPC call as a span, in the words of collectors; the other side learns which one it belongs to. */
import { inSpan, type SpanStart, type Tracer } from '../../ports/tracer.ts';
import type { GrpcChannel } from './grpc-channel.ts';
import type { GrpcRequest } from './grpc-exchange.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

const SCOPE = 'go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc';

export function callInSpan(
  tracer: Tracer | undefined,
  channel: Pick<GrpcChannel, 'call'>,
  request: GrpcRequest,
): Promise<void> {
  if (tracer === undefined) return channel.call(request);
  return inSpan(
    tracer,
    () => toStart(request),
    async (span) => {
      let code: number = GrpcCode.OK;
      try {
        await channel.call({ ...request, headers: { ...request.headers, ...span.headers } });
      } catch (error) {
        code = error instanceof GrpcError ? error.code : GrpcCode.UNKNOWN;
        throw error;
      } finally {
        span.set({ 'rpc.grpc.status_code': code });
      }
    },
  );
}

function toStart({ path }: GrpcRequest): SpanStart {
  const [, service = '', method = ''] = path.split('/');
  return {
    name: path.slice(1),
    scope: SCOPE,
    kind: 'client',
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method },
  };
}
