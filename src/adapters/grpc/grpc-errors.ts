/**
 * gRPC outcomes become AgentError here, once. The message is the text other
 * kubelets print (`rpc error: code = NotFound desc = …`), because it shows in
 * events; the bare status message is the message of `cause`.
 */
import { AgentError, type AgentErrorCode } from '../../base/errors.ts';
import { GrpcCode, GrpcError } from './grpc-status.ts';

/** By code number: the name in texts, and our class of error. */
const CODES: readonly (readonly [name: string, code: AgentErrorCode])[] = [
  ['OK', 'unknown'],
  // A cancellation that we did not ask for is a failure like any other.
  ['Canceled', 'unknown'],
  ['Unknown', 'unknown'],
  ['InvalidArgument', 'invalid-argument'],
  ['DeadlineExceeded', 'deadline-exceeded'],
  ['NotFound', 'not-found'],
  ['AlreadyExists', 'already-exists'],
  ['PermissionDenied', 'permission-denied'],
  ['ResourceExhausted', 'resource-exhausted'],
  ['FailedPrecondition', 'failed-precondition'],
  ['Aborted', 'unknown'],
  ['OutOfRange', 'invalid-argument'],
  ['Unimplemented', 'unimplemented'],
  ['Internal', 'unknown'],
  ['Unavailable', 'unavailable'],
  ['DataLoss', 'unknown'],
  ['Unauthenticated', 'permission-denied'],
];

/** The name of a code in texts and metrics. */
export function toCodeName(code: number): string {
  return CODES[code]?.[0] ?? `Code(${code})`;
}

/** The AgentError for anything a call threw; `signal` distinguishes our cancellation from the server's. */
export function toAgentError(error: unknown, signal?: AbortSignal): AgentError {
  if (error instanceof AgentError) return error;
  if (!(error instanceof GrpcError)) return new AgentError('unknown', String(error), { cause: error });
  const [name, code] = CODES[error.code] ?? [`Code(${error.code})`, 'unknown'];
  const ours = error.code === GrpcCode.CANCELLED && signal?.aborted === true;
  return new AgentError(ours ? 'cancelled' : code, `rpc error: code = ${name} desc = ${error.message}`, {
    cause: error,
  });
}

/** Pull errors of code Unknown keep only the runtime's own words, which callers match by prefix. */
export function toPullError(error: AgentError): AgentError {
  if (!(error.cause instanceof GrpcError) || error.cause.code !== GrpcCode.UNKNOWN) return error;
  return new AgentError(error.code, error.cause.message, { cause: error.cause });
}
