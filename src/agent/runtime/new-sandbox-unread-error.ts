/** The status of a sandbox could not be read, and never was before. */
import { AgentError } from '../../base/errors.ts';

export class NewSandboxUnreadError extends AgentError {
  constructor(cause: AgentError) {
    super(cause.code, cause.message, { cause, retryable: cause.retryable });
  }
}
