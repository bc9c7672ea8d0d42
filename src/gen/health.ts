// Generated from proto/health.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'grpc.health.v1';

export const HealthCheckResponse_ServingStatus = {
  UNKNOWN: 0,
  SERVING: 1,
  NOT_SERVING: 2,
  SERVICE_UNKNOWN: 3,
} as const;
export type HealthCheckResponse_ServingStatus = number;

export interface HealthCheckRequest {
  service: string;
}
function readHealthCheckRequest(r: Reader, end: number): HealthCheckRequest {
  const m: HealthCheckRequest = { service: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.service = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeHealthCheckRequest(w: Writer, m: Init<HealthCheckRequest>): void {
  if (m.service) w.string(10, m.service);
}
export function decodeHealthCheckRequest(bytes: Uint8Array): HealthCheckRequest {
  const r = new Reader(bytes);
  return readHealthCheckRequest(r, r.end);
}
export function encodeHealthCheckRequest(m: Init<HealthCheckRequest>): Uint8Array {
  const w = new Writer();
  writeHealthCheckRequest(w, m);
  return w.finish();
}

export interface HealthCheckResponse {
  status: HealthCheckResponse_ServingStatus;
}
function readHealthCheckResponse(r: Reader, end: number): HealthCheckResponse {
  const m: HealthCheckResponse = { status: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.status = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeHealthCheckResponse(w: Writer, m: Init<HealthCheckResponse>): void {
  if (m.status) w.int32(8, m.status);
}
export function decodeHealthCheckResponse(bytes: Uint8Array): HealthCheckResponse {
  const r = new Reader(bytes);
  return readHealthCheckResponse(r, r.end);
}
export function encodeHealthCheckResponse(m: Init<HealthCheckResponse>): Uint8Array {
  const w = new Writer();
  writeHealthCheckResponse(w, m);
  return w.finish();
}

export const Health = {
  Check: { service: 'Health', name: 'Check', serverStreaming: false, encodeRequest: encodeHealthCheckRequest, decodeResponse: decodeHealthCheckResponse } satisfies Method<HealthCheckRequest, HealthCheckResponse>,
} as const;
