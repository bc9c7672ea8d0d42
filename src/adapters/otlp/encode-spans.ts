/** Finished spans as one message for a collector, grouped by the part of the program they are from. Pure. */
import * as otlp from '../../gen/otlp.ts';
import type { Init } from '../../gen/wire.ts';
import type { SpanValue } from '../../ports/tracer.ts';
import type { FinishedSpan } from './span-tracer.ts';

export function encodeSpans(
  spans: readonly FinishedSpan[],
  resource: Readonly<Record<string, string>>,
): Uint8Array {
  const scopes = Map.groupBy(spans, ({ start }) => start.scope);
  const scopeSpans = [...scopes].map(([name, found]) => ({ scope: { name }, spans: found.map(toWire) }));
  const attributes = Object.entries(resource).map(toKeyValue);
  return otlp.encodeExportTraceServiceRequest({ resourceSpans: [{ resource: { attributes }, scopeSpans }] });
}

const KINDS = {
  internal: otlp.Span_SpanKind.SPAN_KIND_INTERNAL,
  server: otlp.Span_SpanKind.SPAN_KIND_SERVER,
  client: otlp.Span_SpanKind.SPAN_KIND_CLIENT,
};

function toWire(span: FinishedSpan): Init<otlp.Span> {
  const { context, parentId, link, start, problem } = span;
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId: parentId,
    name: span.name,
    kind: KINDS[start.kind ?? 'internal'],
    startTimeUnixNano: span.startedMs * 1e6,
    endTimeUnixNano: span.endedMs * 1e6,
    attributes: [...span.attributes].map(toKeyValue),
    links: link === undefined ? [] : [{ traceId: link.traceId, spanId: link.spanId }],
    status:
      problem === undefined
        ? undefined
        : { message: problem, code: otlp.Status_StatusCode.STATUS_CODE_ERROR },
  };
}

function toKeyValue([key, value]: readonly [string, SpanValue]): Init<otlp.KeyValue> {
  return { key, value: toAnyValue(value) };
}

function toAnyValue(value: SpanValue): Init<otlp.AnyValue> {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value };
  }
}
