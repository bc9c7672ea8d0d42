/**
 * Makes spans and knows in which one the caller is. A trace is recorded as a
 * whole or not at all, as its first span was chosen; spans that are not
 * recorded cost an id, so that the other side does not choose by itself.
 *
 * Invariant: a span that has ended is no parent, so that a loop that was begun
 * within one does not prolong its trace without end.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { Span, SpanStart, SpanValue, SpanValues, Tracer } from '../../ports/tracer.ts';
import { isTraceSampled, parseTraceparent, renderTraceparent, type TraceContext } from './trace-context.ts';

export interface FinishedSpan {
  readonly context: TraceContext;
  readonly parentId: Buffer | undefined;
  readonly link: TraceContext | undefined;
  readonly start: SpanStart;
  readonly name: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly attributes: ReadonlyMap<string, SpanValue>;
  readonly problem: string | undefined;
}

export interface SpanTracerParts {
  readonly clock: Clock;
  readonly randomBytes: (count: number) => Buffer;
  /** How many of a million new traces are recorded. */
  readonly ratePerMillion: number;
  readonly onFinished: (span: FinishedSpan) => void;
}

/** Texts of others may be of any length. */
const MAX_TEXT = 1_024;

class Recording implements Span {
  readonly context: TraceContext;
  readonly attributes = new Map<string, SpanValue>();
  name: string;
  problem: string | undefined;
  isOver = false;

  constructor(context: TraceContext, { name, attributes }: SpanStart) {
    this.context = context;
    this.name = name;
    if (attributes !== undefined) this.set(attributes);
  }

  get headers(): Readonly<Record<string, string>> {
    return { traceparent: renderTraceparent(this.context) };
  }

  rename(name: string): void {
    this.name = name;
  }

  set(values: SpanValues): void {
    for (const [key, value] of Object.entries(values))
      if (value !== undefined)
        this.attributes.set(key, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value);
  }

  fail(message: string): void {
    this.problem = message.slice(0, MAX_TEXT);
  }
}

export class SpanTracer implements Tracer {
  readonly #parts: SpanTracerParts;
  readonly #current = new AsyncLocalStorage<Recording>();

  constructor(parts: SpanTracerParts) {
    this.#parts = parts;
  }

  async span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const { clock, onFinished } = this.#parts;
    const current = this.#current.getStore();
    const parent = current?.isOver === false ? current : undefined;
    // Nothing below is recorded either: the one context stands for all.
    if (parent?.context.isSampled === false) return work(parent);
    const span = new Recording(this.#createContext(parent?.context), start);
    const startedMs = clock.now();
    try {
      return await this.#current.run(span, () => work(span));
    } catch (error) {
      span.fail(errorText(error));
      throw error;
    } finally {
      span.isOver = true;
      const { context, name, attributes, problem } = span;
      const parentId = parent?.context.spanId;
      const link = start.linkTo === undefined ? undefined : parseTraceparent(start.linkTo);
      if (context.isSampled)
        onFinished({
          context,
          parentId,
          link,
          start,
          name,
          startedMs,
          endedMs: clock.now(),
          attributes,
          problem,
        });
    }
  }

  #createContext(parent: TraceContext | undefined): TraceContext {
    const { randomBytes, ratePerMillion } = this.#parts;
    const spanId = randomBytes(8);
    if (parent !== undefined) return { ...parent, spanId };
    const traceId = randomBytes(16);
    return { traceId, spanId, isSampled: isTraceSampled(traceId, ratePerMillion) };
  }
}
