/**
 * The one operational error of the agent. Adapters map gRPC, HTTP and errno
 * failures to it at the edge; callers above use only `code` and
 * `retryable`. Expected outcomes (image missing, crash loop) are values, not
 * errors; bugs stay ordinary exceptions.
 */

export type AgentErrorCode =
  | 'unavailable'
  | 'deadline-exceeded'
  | 'not-found'
  | 'already-exists'
  | 'invalid-argument'
  | 'failed-precondition'
  | 'permission-denied'
  | 'unimplemented'
  | 'resource-exhausted'
  | 'cancelled'
  /** The object changed since it was read: read again, then retry. */
  | 'conflict'
  | 'unauthenticated'
  | 'too-many-requests'
  /** The requested version is no longer kept: list everything again. */
  | 'gone'
  | 'unknown';

const RETRYABLE: ReadonlySet<AgentErrorCode> = new Set([
  'unavailable',
  'deadline-exceeded',
  'resource-exhausted',
  'conflict',
  'too-many-requests',
  'unknown',
]);

/** An operation on the outside world failed. Message grammar: `cannot <action> "<thing>": <why>`. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: AgentErrorCode;
  readonly retryable: boolean;

  constructor(code: AgentErrorCode, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? RETRYABLE.has(code);
  }
}

/** True when `error` is an AgentError of the given class. */
export function hasCode(error: unknown, code: AgentErrorCode): error is AgentError {
  return error instanceof AgentError && error.code === code;
}

/** The text of anything that was thrown; never empty, never throws. */
export function errorText(error: unknown): string {
  if (error instanceof Error) {
    if (error.message !== '') return error.message;
    // A connection refused on every address of a name is an AggregateError without a message.
    if (error instanceof AggregateError && error.errors.length > 0)
      return error.errors.map(errorText).join('; ');
    return error.name;
  }
  try {
    return String(error) || 'unknown error';
  } catch {
    return 'unknown error';
  }
}

/** The message of the remote side without the prefix of the call: the innermost cause an adapter kept. */
export function causeText(error: unknown): string {
  return error instanceof AgentError && error.cause !== undefined ? errorText(error.cause) : errorText(error);
}
