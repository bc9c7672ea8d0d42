/**
 * Spans of what the agent does, for a collector elsewhere. Which span is below
 * which follows from who calls whom: work that is begun within a span, also
 * after waiting, belongs to it until the span ends.
 *
 * Where tracing is not configured there is no tracer, and `inSpan` costs a
 * comparison.
 */

export type SpanValue = string | number | boolean;
export type SpanValues = Readonly<Record<string, SpanValue | undefined>>;

export interface SpanStart {
  readonly name: string;
  /** Which part of the program it is from, in the words of collectors. */
  readonly scope: string;
  /** `internal` without. */
  readonly kind?: 'server' | 'client';
  readonly attributes?: SpanValues;
  /** The `traceparent` of a caller from elsewhere: its span is named, not followed. */
  readonly linkTo?: string | undefined;
}

export interface Span {
  rename(name: string): void;
  set(values: SpanValues): void;
  /** What was done in the span did not work. */
  fail(message: string): void;
  /** For requests that are part of the span. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Tracer {
  /** Settles as `work` does; what it rejects with also fails the span. */
  span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
}

/** Where there is no tracer. */
export const NO_SPAN: Span = { rename: () => {}, set: () => {}, fail: () => {}, headers: {} };

export function inSpan<T>(
  tracer: Tracer | undefined,
  start: () => SpanStart,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer === undefined ? work(NO_SPAN) : tracer.span(start(), work);
}
