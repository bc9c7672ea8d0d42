// Generated from proto/otlp.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'opentelemetry.proto.collector.trace.v1';

export const Span_SpanKind = {
  SPAN_KIND_UNSPECIFIED: 0,
  SPAN_KIND_INTERNAL: 1,
  SPAN_KIND_SERVER: 2,
  SPAN_KIND_CLIENT: 3,
} as const;
export type Span_SpanKind = number;

export const Status_StatusCode = {
  STATUS_CODE_UNSET: 0,
  STATUS_CODE_OK: 1,
  STATUS_CODE_ERROR: 2,
} as const;
export type Status_StatusCode = number;

export interface ExportTraceServiceRequest {
  resourceSpans: ResourceSpans[];
}
function readExportTraceServiceRequest(r: Reader, end: number): ExportTraceServiceRequest {
  const m: ExportTraceServiceRequest = { resourceSpans: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.resourceSpans.push(readResourceSpans(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeExportTraceServiceRequest(w: Writer, m: Init<ExportTraceServiceRequest>): void {
  if (m.resourceSpans !== undefined) for (const v of m.resourceSpans) { const at = w.open(10); writeResourceSpans(w, v); w.close(at); }
}
export function decodeExportTraceServiceRequest(bytes: Uint8Array): ExportTraceServiceRequest {
  const r = new Reader(bytes);
  return readExportTraceServiceRequest(r, r.end);
}
export function encodeExportTraceServiceRequest(m: Init<ExportTraceServiceRequest>): Uint8Array {
  const w = new Writer();
  writeExportTraceServiceRequest(w, m);
  return w.finish();
}

export interface ExportTraceServiceResponse {
  partialSuccess: ExportTracePartialSuccess | undefined;
}
function readExportTraceServiceResponse(r: Reader, end: number): ExportTraceServiceResponse {
  const m: ExportTraceServiceResponse = { partialSuccess: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.partialSuccess = readExportTracePartialSuccess(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeExportTraceServiceResponse(w: Writer, m: Init<ExportTraceServiceResponse>): void {
  if (m.partialSuccess !== undefined) { const at = w.open(10); writeExportTracePartialSuccess(w, m.partialSuccess); w.close(at); }
}
export function decodeExportTraceServiceResponse(bytes: Uint8Array): ExportTraceServiceResponse {
  const r = new Reader(bytes);
  return readExportTraceServiceResponse(r, r.end);
}
export function encodeExportTraceServiceResponse(m: Init<ExportTraceServiceResponse>): Uint8Array {
  const w = new Writer();
  writeExportTraceServiceResponse(w, m);
  return w.finish();
}

export interface ExportTracePartialSuccess {
  rejectedSpans: number;
  errorMessage: string;
}
function readExportTracePartialSuccess(r: Reader, end: number): ExportTracePartialSuccess {
  const m: ExportTracePartialSuccess = { rejectedSpans: 0, errorMessage: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.rejectedSpans = r.int64(); break;
      case 18: m.errorMessage = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeExportTracePartialSuccess(w: Writer, m: Init<ExportTracePartialSuccess>): void {
  if (m.rejectedSpans) w.int64(8, m.rejectedSpans);
  if (m.errorMessage) w.string(18, m.errorMessage);
}
export function decodeExportTracePartialSuccess(bytes: Uint8Array): ExportTracePartialSuccess {
  const r = new Reader(bytes);
  return readExportTracePartialSuccess(r, r.end);
}
export function encodeExportTracePartialSuccess(m: Init<ExportTracePartialSuccess>): Uint8Array {
  const w = new Writer();
  writeExportTracePartialSuccess(w, m);
  return w.finish();
}

export interface ResourceSpans {
  resource: Resource | undefined;
  scopeSpans: ScopeSpans[];
}
function readResourceSpans(r: Reader, end: number): ResourceSpans {
  const m: ResourceSpans = { resource: undefined, scopeSpans: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.resource = readResource(r, r.length()); break;
      case 18: m.scopeSpans.push(readScopeSpans(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeResourceSpans(w: Writer, m: Init<ResourceSpans>): void {
  if (m.resource !== undefined) { const at = w.open(10); writeResource(w, m.resource); w.close(at); }
  if (m.scopeSpans !== undefined) for (const v of m.scopeSpans) { const at = w.open(18); writeScopeSpans(w, v); w.close(at); }
}
export function decodeResourceSpans(bytes: Uint8Array): ResourceSpans {
  const r = new Reader(bytes);
  return readResourceSpans(r, r.end);
}
export function encodeResourceSpans(m: Init<ResourceSpans>): Uint8Array {
  const w = new Writer();
  writeResourceSpans(w, m);
  return w.finish();
}

export interface Resource {
  attributes: KeyValue[];
}
function readResource(r: Reader, end: number): Resource {
  const m: Resource = { attributes: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.attributes.push(readKeyValue(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeResource(w: Writer, m: Init<Resource>): void {
  if (m.attributes !== undefined) for (const v of m.attributes) { const at = w.open(10); writeKeyValue(w, v); w.close(at); }
}
export function decodeResource(bytes: Uint8Array): Resource {
  const r = new Reader(bytes);
  return readResource(r, r.end);
}
export function encodeResource(m: Init<Resource>): Uint8Array {
  const w = new Writer();
  writeResource(w, m);
  return w.finish();
}

export interface ScopeSpans {
  scope: InstrumentationScope | undefined;
  spans: Span[];
}
function readScopeSpans(r: Reader, end: number): ScopeSpans {
  const m: ScopeSpans = { scope: undefined, spans: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.scope = readInstrumentationScope(r, r.length()); break;
      case 18: m.spans.push(readSpan(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeScopeSpans(w: Writer, m: Init<ScopeSpans>): void {
  if (m.scope !== undefined) { const at = w.open(10); writeInstrumentationScope(w, m.scope); w.close(at); }
  if (m.spans !== undefined) for (const v of m.spans) { const at = w.open(18); writeSpan(w, v); w.close(at); }
}
export function decodeScopeSpans(bytes: Uint8Array): ScopeSpans {
  const r = new Reader(bytes);
  return readScopeSpans(r, r.end);
}
export function encodeScopeSpans(m: Init<ScopeSpans>): Uint8Array {
  const w = new Writer();
  writeScopeSpans(w, m);
  return w.finish();
}

export interface InstrumentationScope {
  name: string;
  version: string;
}
function readInstrumentationScope(r: Reader, end: number): InstrumentationScope {
  const m: InstrumentationScope = { name: '', version: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 18: m.version = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeInstrumentationScope(w: Writer, m: Init<InstrumentationScope>): void {
  if (m.name) w.string(10, m.name);
  if (m.version) w.string(18, m.version);
}
export function decodeInstrumentationScope(bytes: Uint8Array): InstrumentationScope {
  const r = new Reader(bytes);
  return readInstrumentationScope(r, r.end);
}
export function encodeInstrumentationScope(m: Init<InstrumentationScope>): Uint8Array {
  const w = new Writer();
  writeInstrumentationScope(w, m);
  return w.finish();
}

export interface Span {
  traceId: Uint8Array;
  spanId: Uint8Array;
  parentSpanId: Uint8Array;
  name: string;
  kind: Span_SpanKind;
  startTimeUnixNano: number;
  endTimeUnixNano: number;
  attributes: KeyValue[];
  links: Span_Link[];
  status: Status | undefined;
}
function readSpan(r: Reader, end: number): Span {
  const m: Span = { traceId: new Uint8Array(0), spanId: new Uint8Array(0), parentSpanId: new Uint8Array(0), name: '', kind: 0, startTimeUnixNano: 0, endTimeUnixNano: 0, attributes: [], links: [], status: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.traceId = r.bytes(); break;
      case 18: m.spanId = r.bytes(); break;
      case 34: m.parentSpanId = r.bytes(); break;
      case 42: m.name = r.string(); break;
      case 48: m.kind = r.int32(); break;
      case 57: m.startTimeUnixNano = r.fixed64(); break;
      case 65: m.endTimeUnixNano = r.fixed64(); break;
      case 74: m.attributes.push(readKeyValue(r, r.length())); break;
      case 106: m.links.push(readSpan_Link(r, r.length())); break;
      case 122: m.status = readStatus(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeSpan(w: Writer, m: Init<Span>): void {
  if (m.traceId?.byteLength) w.bytes(10, m.traceId);
  if (m.spanId?.byteLength) w.bytes(18, m.spanId);
  if (m.parentSpanId?.byteLength) w.bytes(34, m.parentSpanId);
  if (m.name) w.string(42, m.name);
  if (m.kind) w.int32(48, m.kind);
  if (m.startTimeUnixNano) w.fixed64(57, m.startTimeUnixNano);
  if (m.endTimeUnixNano) w.fixed64(65, m.endTimeUnixNano);
  if (m.attributes !== undefined) for (const v of m.attributes) { const at = w.open(74); writeKeyValue(w, v); w.close(at); }
  if (m.links !== undefined) for (const v of m.links) { const at = w.open(106); writeSpan_Link(w, v); w.close(at); }
  if (m.status !== undefined) { const at = w.open(122); writeStatus(w, m.status); w.close(at); }
}
export function decodeSpan(bytes: Uint8Array): Span {
  const r = new Reader(bytes);
  return readSpan(r, r.end);
}
export function encodeSpan(m: Init<Span>): Uint8Array {
  const w = new Writer();
  writeSpan(w, m);
  return w.finish();
}

export interface Span_Link {
  traceId: Uint8Array;
  spanId: Uint8Array;
}
function readSpan_Link(r: Reader, end: number): Span_Link {
  const m: Span_Link = { traceId: new Uint8Array(0), spanId: new Uint8Array(0) };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.traceId = r.bytes(); break;
      case 18: m.spanId = r.bytes(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeSpan_Link(w: Writer, m: Init<Span_Link>): void {
  if (m.traceId?.byteLength) w.bytes(10, m.traceId);
  if (m.spanId?.byteLength) w.bytes(18, m.spanId);
}
export function decodeSpan_Link(bytes: Uint8Array): Span_Link {
  const r = new Reader(bytes);
  return readSpan_Link(r, r.end);
}
export function encodeSpan_Link(m: Init<Span_Link>): Uint8Array {
  const w = new Writer();
  writeSpan_Link(w, m);
  return w.finish();
}

export interface Status {
  message: string;
  code: Status_StatusCode;
}
function readStatus(r: Reader, end: number): Status {
  const m: Status = { message: '', code: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 18: m.message = r.string(); break;
      case 24: m.code = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStatus(w: Writer, m: Init<Status>): void {
  if (m.message) w.string(18, m.message);
  if (m.code) w.int32(24, m.code);
}
export function decodeStatus(bytes: Uint8Array): Status {
  const r = new Reader(bytes);
  return readStatus(r, r.end);
}
export function encodeStatus(m: Init<Status>): Uint8Array {
  const w = new Writer();
  writeStatus(w, m);
  return w.finish();
}

export interface KeyValue {
  key: string;
  value: AnyValue | undefined;
}
function readKeyValue(r: Reader, end: number): KeyValue {
  const m: KeyValue = { key: '', value: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.key = r.string(); break;
      case 18: m.value = readAnyValue(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeKeyValue(w: Writer, m: Init<KeyValue>): void {
  if (m.key) w.string(10, m.key);
  if (m.value !== undefined) { const at = w.open(18); writeAnyValue(w, m.value); w.close(at); }
}
export function decodeKeyValue(bytes: Uint8Array): KeyValue {
  const r = new Reader(bytes);
  return readKeyValue(r, r.end);
}
export function encodeKeyValue(m: Init<KeyValue>): Uint8Array {
  const w = new Writer();
  writeKeyValue(w, m);
  return w.finish();
}

export interface AnyValue {
  stringValue: string | undefined;
  boolValue: boolean | undefined;
  intValue: number | undefined;
  doubleValue: number | undefined;
}
function readAnyValue(r: Reader, end: number): AnyValue {
  const m: AnyValue = { stringValue: undefined, boolValue: undefined, intValue: undefined, doubleValue: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.stringValue = r.string(); m.boolValue = undefined; m.intValue = undefined; m.doubleValue = undefined; break;
      case 16: m.boolValue = r.bool(); m.stringValue = undefined; m.intValue = undefined; m.doubleValue = undefined; break;
      case 24: m.intValue = r.int64(); m.stringValue = undefined; m.boolValue = undefined; m.doubleValue = undefined; break;
      case 33: m.doubleValue = r.double(); m.stringValue = undefined; m.boolValue = undefined; m.intValue = undefined; break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeAnyValue(w: Writer, m: Init<AnyValue>): void {
  if (m.stringValue !== undefined) w.string(10, m.stringValue);
  if (m.boolValue !== undefined) w.bool(16, m.boolValue);
  if (m.intValue !== undefined) w.int64(24, m.intValue);
  if (m.doubleValue !== undefined) w.double(33, m.doubleValue);
}
export function decodeAnyValue(bytes: Uint8Array): AnyValue {
  const r = new Reader(bytes);
  return readAnyValue(r, r.end);
}
export function encodeAnyValue(m: Init<AnyValue>): Uint8Array {
  const w = new Writer();
  writeAnyValue(w, m);
  return w.finish();
}

export const TraceService = {
  Export: { service: 'TraceService', name: 'Export', serverStreaming: false, encodeRequest: encodeExportTraceServiceRequest, decodeResponse: decodeExportTraceServiceResponse } satisfies Method<ExportTraceServiceRequest, ExportTraceServiceResponse>,
} as const;
