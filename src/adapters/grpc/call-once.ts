/**
 * One gRPC call over a connection of its own, closed afterwards. For services
 * that are called rarely and come and go with their process, such as plugins:
 * no connection stays open to a socket that may belong to another process by
 * the next call.
 */
import type { Clock } from '../../base/async/clock.ts';
import type { Init, Method } from '../../gen/wire.ts';
import { GrpcChannel } from './grpc-channel.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

export interface OneCall<Request, Response> {
  readonly socketPath: string;
  /** Of the schema, such as `csi.v1`. */
  readonly packageName: string;
  readonly method: Method<Request, Response>;
  readonly request: Init<Request>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves to the answer; rejects with GrpcError. */
export async function callOnce<Request, Response>(call: OneCall<Request, Response>): Promise<Response> {
  const { socketPath, packageName, method, request, timeoutMs, clock, signal } = call;
  // A single attempt: no second connection is made, so no back-off is needed.
  const channel = new GrpcChannel({ socketPath, clock, random: () => 0 });
  let answer: Response | undefined;
  try {
    await channel.call({
      path: `/${packageName}.${method.service}/${method.name}`,
      body: method.encodeRequest(request),
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
      onMessage: (message) => {
        answer = method.decodeResponse(message);
      },
    });
  } finally {
    await channel.close();
  }
  if (answer === undefined) throw new GrpcError(GrpcCode.INTERNAL, 'the server gave no answer');
  return answer;
}
