import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError } from '../../base/errors.ts';
import { toAgentError, toPullError } from './grpc-errors.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

describe('toAgentError', () => {
  it('maps every code to a class and keeps text and status message', () => {
    const cases = [
      [GrpcCode.UNKNOWN, 'unknown', 'Unknown'],
      [GrpcCode.INVALID_ARGUMENT, 'invalid-argument', 'InvalidArgument'],
      [GrpcCode.DEADLINE_EXCEEDED, 'deadline-exceeded', 'DeadlineExceeded'],
      [GrpcCode.NOT_FOUND, 'not-found', 'NotFound'],
      [GrpcCode.ALREADY_EXISTS, 'already-exists', 'AlreadyExists'],
      [GrpcCode.PERMISSION_DENIED, 'permission-denied', 'PermissionDenied'],
      [GrpcCode.RESOURCE_EXHAUSTED, 'resource-exhausted', 'ResourceExhausted'],
      [GrpcCode.FAILED_PRECONDITION, 'failed-precondition', 'FailedPrecondition'],
      [GrpcCode.ABORTED, 'unknown', 'Aborted'],
      [GrpcCode.OUT_OF_RANGE, 'invalid-argument', 'OutOfRange'],
      [GrpcCode.UNIMPLEMENTED, 'unimplemented', 'Unimplemented'],
      [GrpcCode.INTERNAL, 'unknown', 'Internal'],
      [GrpcCode.UNAVAILABLE, 'unavailable', 'Unavailable'],
      [GrpcCode.DATA_LOSS, 'unknown', 'DataLoss'],
      [GrpcCode.UNAUTHENTICATED, 'permission-denied', 'Unauthenticated'],
      [99, 'unknown', 'Code(99)'],
    ] as const;
    for (const [code, expected, name] of cases) {
      const error = toAgentError(new GrpcError(code, 'why'));
      assert.equal(error.code, expected);
      assert.equal(error.message, `rpc error: code = ${name} desc = why`);
      assert.equal((error.cause as Error).message, 'why');
    }
  });

  it('calls a cancellation cancelled only when it was ours', () => {
    const error = new GrpcError(GrpcCode.CANCELLED, 'context canceled');
    assert.equal(toAgentError(error, AbortSignal.abort()).code, 'cancelled');
    assert.equal(toAgentError(error, new AbortController().signal).code, 'unknown');
    assert.equal(toAgentError(error).code, 'unknown');
  });

  it('leaves an AgentError alone', () => {
    const error = new AgentError('not-found', 'x');
    assert.equal(toAgentError(error), error);
  });
});

describe('toPullError', () => {
  it('keeps only the words of the runtime for code Unknown', () => {
    const unknown = toPullError(toAgentError(new GrpcError(GrpcCode.UNKNOWN, 'RegistryUnavailable: down')));
    assert.equal(unknown.message, 'RegistryUnavailable: down');
    assert.equal(unknown.code, 'unknown');
    const other = toPullError(toAgentError(new GrpcError(GrpcCode.NOT_FOUND, 'no image')));
    assert.equal(other.message, 'rpc error: code = NotFound desc = no image');
  });
});
