/** The rate that upstream gives all callers of one of its local services together. */
import type { Clock } from '../../base/async/clock.ts';
import { TokenBucket } from '../../base/async/token-bucket.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

const RATE = { perSecond: 100, burst: 10 };

/** For the `admit` of a server: the error of a call that comes too fast. */
export function admitAtRate(clock: Clock): () => GrpcError | undefined {
  const bucket = new TokenBucket(RATE, clock.steady());
  return () =>
    bucket.tryTake(clock.steady())
      ? undefined
      : new GrpcError(GrpcCode.RESOURCE_EXHAUSTED, 'rejected by rate limit');
}
