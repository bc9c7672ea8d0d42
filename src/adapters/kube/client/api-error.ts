/**
 * Failed API calls in our words: the HTTP status, with the reason of the
 * Status object where the number is ambiguous, becomes the class of an
 * AgentError. The Status itself stays readable through apiStatusOf.
 */
import { AgentError, type AgentErrorCode, errorText } from '../../../base/errors.ts';
import { tryParseJson } from '../../../base/json.ts';
import { type ApiStatus, ApiStatusError } from '../../../ports/cluster/api-server.ts';
import type { HttpResponse } from './http-exchange.ts';

const CODES: Readonly<Record<number, AgentErrorCode>> = {
  400: 'invalid-argument',
  401: 'unauthenticated',
  403: 'permission-denied',
  404: 'not-found',
  405: 'unimplemented',
  406: 'unimplemented',
  408: 'deadline-exceeded',
  409: 'conflict',
  410: 'gone',
  412: 'failed-precondition',
  413: 'invalid-argument',
  415: 'unimplemented',
  422: 'invalid-argument',
  429: 'too-many-requests',
  504: 'deadline-exceeded',
};

/** The most of an answer that is not a Status object that goes into a message. */
const MAX_QUOTED = 200;

export function toErrorCode(status: ApiStatus): AgentErrorCode {
  if (status.reason === 'AlreadyExists') return 'already-exists';
  if (status.reason === 'Expired' || status.reason === 'Gone') return 'gone';
  return CODES[status.code] ?? (status.code >= 500 ? 'unavailable' : 'unknown');
}

/** `cannot <action>: <the server's words>`. */
export function toApiError(action: string, status: ApiStatus): AgentError {
  const message = `cannot ${action}: ${status.message}`;
  return new AgentError(toErrorCode(status), message, { cause: new ApiStatusError(status) });
}

/** The Status in a failed answer; one is made up when a proxy or load balancer answered instead. */
export function parseStatus(response: HttpResponse): ApiStatus {
  const text = response.body.toString('utf8');
  const retryAfterSeconds = parseRetryAfter(response.headers.get('retry-after'));
  const status = toStatus(tryParseJson(text), response.status);
  const fallback: ApiStatus = {
    code: response.status,
    reason: '',
    message: `the server answered ${response.status}${text.trim() === '' ? '' : ` ${JSON.stringify(text.slice(0, MAX_QUOTED))}`}`,
  };
  return { ...(status ?? fallback), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

interface StatusFields {
  readonly kind?: unknown;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown } | null;
}

/** Reads a Status object, as it also comes in an ERROR event of a watch. */
export function toStatus(value: unknown, code = 0): ApiStatus | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const status: StatusFields = value;
  if (status.kind !== 'Status') return undefined;
  const seconds = status.details?.retryAfterSeconds;
  return {
    code: typeof status.code === 'number' ? status.code : code,
    reason: String(status.reason ?? ''),
    message: String(status.message ?? status.reason ?? `status ${code}`),
    ...(typeof seconds === 'number' && seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  };
}

/** Parses an answer that must be JSON. */
export function parseAnswer(action: string, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (error) {
    throw new AgentError('unknown', `cannot ${action}: the answer is not JSON: ${errorText(error)}`);
  }
}

/** Only seconds: API servers never send the date form. */
function parseRetryAfter(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{1,6}$/.test(value.trim())) return undefined;
  return Number(value);
}
