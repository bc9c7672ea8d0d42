// Generated from proto/pods.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'v1alpha1';

export const EventType = {
  UNSPECIFIED: 0,
  ADDED: 1,
  MODIFIED: 2,
  DELETED: 3,
  INITIAL_SYNC_COMPLETE: 4,
} as const;
export type EventType = number;

export interface WatchPodsRequest {
}
function readWatchPodsRequest(r: Reader, end: number): WatchPodsRequest {
  const m: WatchPodsRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeWatchPodsRequest(_w: Writer, _m: Init<WatchPodsRequest>): void {
}
export function decodeWatchPodsRequest(bytes: Uint8Array): WatchPodsRequest {
  const r = new Reader(bytes);
  return readWatchPodsRequest(r, r.end);
}
export function encodeWatchPodsRequest(m: Init<WatchPodsRequest>): Uint8Array {
  const w = new Writer();
  writeWatchPodsRequest(w, m);
  return w.finish();
}

export interface WatchPodsEvent {
  type: EventType;
  pod: Uint8Array;
}
function readWatchPodsEvent(r: Reader, end: number): WatchPodsEvent {
  const m: WatchPodsEvent = { type: 0, pod: new Uint8Array(0) };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.type = r.int32(); break;
      case 18: m.pod = r.bytes(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWatchPodsEvent(w: Writer, m: Init<WatchPodsEvent>): void {
  if (m.type) w.int32(8, m.type);
  if (m.pod?.byteLength) w.bytes(18, m.pod);
}
export function decodeWatchPodsEvent(bytes: Uint8Array): WatchPodsEvent {
  const r = new Reader(bytes);
  return readWatchPodsEvent(r, r.end);
}
export function encodeWatchPodsEvent(m: Init<WatchPodsEvent>): Uint8Array {
  const w = new Writer();
  writeWatchPodsEvent(w, m);
  return w.finish();
}

export interface ListPodsRequest {
}
function readListPodsRequest(r: Reader, end: number): ListPodsRequest {
  const m: ListPodsRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeListPodsRequest(_w: Writer, _m: Init<ListPodsRequest>): void {
}
export function decodeListPodsRequest(bytes: Uint8Array): ListPodsRequest {
  const r = new Reader(bytes);
  return readListPodsRequest(r, r.end);
}
export function encodeListPodsRequest(m: Init<ListPodsRequest>): Uint8Array {
  const w = new Writer();
  writeListPodsRequest(w, m);
  return w.finish();
}

export interface ListPodsResponse {
  pods: Uint8Array[];
}
function readListPodsResponse(r: Reader, end: number): ListPodsResponse {
  const m: ListPodsResponse = { pods: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.pods.push(r.bytes()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListPodsResponse(w: Writer, m: Init<ListPodsResponse>): void {
  if (m.pods !== undefined) for (const v of m.pods) w.bytes(10, v);
}
export function decodeListPodsResponse(bytes: Uint8Array): ListPodsResponse {
  const r = new Reader(bytes);
  return readListPodsResponse(r, r.end);
}
export function encodeListPodsResponse(m: Init<ListPodsResponse>): Uint8Array {
  const w = new Writer();
  writeListPodsResponse(w, m);
  return w.finish();
}

export interface GetPodRequest {
  podUID: string;
}
function readGetPodRequest(r: Reader, end: number): GetPodRequest {
  const m: GetPodRequest = { podUID: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podUID = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeGetPodRequest(w: Writer, m: Init<GetPodRequest>): void {
  if (m.podUID) w.string(10, m.podUID);
}
export function decodeGetPodRequest(bytes: Uint8Array): GetPodRequest {
  const r = new Reader(bytes);
  return readGetPodRequest(r, r.end);
}
export function encodeGetPodRequest(m: Init<GetPodRequest>): Uint8Array {
  const w = new Writer();
  writeGetPodRequest(w, m);
  return w.finish();
}

export interface GetPodResponse {
  pod: Uint8Array;
}
function readGetPodResponse(r: Reader, end: number): GetPodResponse {
  const m: GetPodResponse = { pod: new Uint8Array(0) };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.pod = r.bytes(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeGetPodResponse(w: Writer, m: Init<GetPodResponse>): void {
  if (m.pod?.byteLength) w.bytes(10, m.pod);
}
export function decodeGetPodResponse(bytes: Uint8Array): GetPodResponse {
  const r = new Reader(bytes);
  return readGetPodResponse(r, r.end);
}
export function encodeGetPodResponse(m: Init<GetPodResponse>): Uint8Array {
  const w = new Writer();
  writeGetPodResponse(w, m);
  return w.finish();
}

export const Pods = {
  WatchPods: { service: 'Pods', name: 'WatchPods', serverStreaming: true, encodeRequest: encodeWatchPodsRequest, decodeResponse: decodeWatchPodsEvent } satisfies Method<WatchPodsRequest, WatchPodsEvent>,
  ListPods: { service: 'Pods', name: 'ListPods', serverStreaming: false, encodeRequest: encodeListPodsRequest, decodeResponse: decodeListPodsResponse } satisfies Method<ListPodsRequest, ListPodsResponse>,
  GetPod: { service: 'Pods', name: 'GetPod', serverStreaming: false, encodeRequest: encodeGetPodRequest, decodeResponse: decodeGetPodResponse } satisfies Method<GetPodRequest, GetPodResponse>,
} as const;
