/**
 * The outcome of a gRPC call as the protocol has it. Transport and client
 * speak in these; grpc-errors.ts turns them into AgentError at the edge.
 */

export const GrpcCode = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** A call that did not end with OK; `message` is the bare status message. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const HTTP_CODES: Readonly<Record<number, number>> = {
  400: GrpcCode.INTERNAL,
  401: GrpcCode.UNAUTHENTICATED,
  403: GrpcCode.PERMISSION_DENIED,
  404: GrpcCode.UNIMPLEMENTED,
  429: GrpcCode.UNAVAILABLE,
  502: GrpcCode.UNAVAILABLE,
  503: GrpcCode.UNAVAILABLE,
  504: GrpcCode.UNAVAILABLE,
};

/** The code for an HTTP answer that is not gRPC at all. */
export function toCodeOfHttpStatus(status: number): number {
  return HTTP_CODES[status] ?? GrpcCode.UNKNOWN;
}

const RESET_CODES: Readonly<Record<number, number>> = {
  7: GrpcCode.UNAVAILABLE, // REFUSED_STREAM
  8: GrpcCode.CANCELLED, // CANCEL
  11: GrpcCode.RESOURCE_EXHAUSTED, // ENHANCE_YOUR_CALM
  12: GrpcCode.PERMISSION_DENIED, // INADEQUATE_SECURITY
};

/** The code for a stream that the server reset with an HTTP/2 error code. */
export function toCodeOfReset(http2Code: number): number {
  return RESET_CODES[http2Code] ?? GrpcCode.INTERNAL;
}

/** Undoes the percent-encoding of `grpc-message`; text that is not well-formed stays as it came. */
export function decodeStatusMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
