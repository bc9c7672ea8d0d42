/**
 * Failures of file system calls in our words: the errno becomes the class of
 * an AgentError, its usual text the reason. Every adapter of this folder maps
 * at its edge with it.
 */
import { getSystemErrorMessage } from 'node:util';
import { AgentError, type AgentErrorCode, errorText } from '../../base/errors.ts';

const CODES: Readonly<Record<string, AgentErrorCode>> = {
  ENOENT: 'not-found',
  EEXIST: 'already-exists',
  EACCES: 'permission-denied',
  EPERM: 'permission-denied',
  EROFS: 'failed-precondition',
  ENOSPC: 'resource-exhausted',
  EDQUOT: 'resource-exhausted',
  EMFILE: 'resource-exhausted',
  ENFILE: 'resource-exhausted',
  ENOMEM: 'resource-exhausted',
  EBUSY: 'unavailable',
  EAGAIN: 'unavailable',
  EINVAL: 'invalid-argument',
  ENAMETOOLONG: 'invalid-argument',
  ENOTDIR: 'failed-precondition',
  EISDIR: 'failed-precondition',
  ENOTEMPTY: 'failed-precondition',
  ELOOP: 'failed-precondition',
  ETIMEDOUT: 'deadline-exceeded',
  ENOSYS: 'unimplemented',
  ENOTSUP: 'unimplemented',
  EOPNOTSUPP: 'unimplemented',
};

/** True when `error` is a system failure with one of these errno names. */
export function hasErrno(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && names.includes(String(error.code));
}

/** `cannot <action> "<path>": <why>`; an AgentError passes through as it is. */
export function toHostError(action: string, path: string, error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const code = error instanceof Error && 'code' in error ? CODES[String(error.code)] : undefined;
  const message = `cannot ${action} ${JSON.stringify(path)}: ${toReason(error)}`;
  return new AgentError(code ?? 'unknown', message, { cause: error });
}

/** The text of the errno alone: Node's own message repeats the path and the call. */
function toReason(error: unknown): string {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number' && error.errno < 0)
    return getSystemErrorMessage(error.errno);
  return errorText(error);
}
