// Generated from proto/dra.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'k8s.io.kubelet.pkg.apis.dra.v1';

export interface Claim {
  namespace: string;
  uid: string;
  name: string;
}
function readClaim(r: Reader, end: number): Claim {
  const m: Claim = { namespace: '', uid: '', name: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.namespace = r.string(); break;
      case 18: m.uid = r.string(); break;
      case 26: m.name = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeClaim(w: Writer, m: Init<Claim>): void {
  if (m.namespace) w.string(10, m.namespace);
  if (m.uid) w.string(18, m.uid);
  if (m.name) w.string(26, m.name);
}
export function decodeClaim(bytes: Uint8Array): Claim {
  const r = new Reader(bytes);
  return readClaim(r, r.end);
}
export function encodeClaim(m: Init<Claim>): Uint8Array {
  const w = new Writer();
  writeClaim(w, m);
  return w.finish();
}

export interface NodePrepareResourcesRequest {
  claims: Claim[];
}
function readNodePrepareResourcesRequest(r: Reader, end: number): NodePrepareResourcesRequest {
  const m: NodePrepareResourcesRequest = { claims: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.claims.push(readClaim(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodePrepareResourcesRequest(w: Writer, m: Init<NodePrepareResourcesRequest>): void {
  if (m.claims !== undefined) for (const v of m.claims) { const at = w.open(10); writeClaim(w, v); w.close(at); }
}
export function decodeNodePrepareResourcesRequest(bytes: Uint8Array): NodePrepareResourcesRequest {
  const r = new Reader(bytes);
  return readNodePrepareResourcesRequest(r, r.end);
}
export function encodeNodePrepareResourcesRequest(m: Init<NodePrepareResourcesRequest>): Uint8Array {
  const w = new Writer();
  writeNodePrepareResourcesRequest(w, m);
  return w.finish();
}

export interface NodePrepareResourcesResponse {
  claims: PreparedEntry[];
}
function readNodePrepareResourcesResponse(r: Reader, end: number): NodePrepareResourcesResponse {
  const m: NodePrepareResourcesResponse = { claims: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.claims.push(readPreparedEntry(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodePrepareResourcesResponse(w: Writer, m: Init<NodePrepareResourcesResponse>): void {
  if (m.claims !== undefined) for (const v of m.claims) { const at = w.open(10); writePreparedEntry(w, v); w.close(at); }
}
export function decodeNodePrepareResourcesResponse(bytes: Uint8Array): NodePrepareResourcesResponse {
  const r = new Reader(bytes);
  return readNodePrepareResourcesResponse(r, r.end);
}
export function encodeNodePrepareResourcesResponse(m: Init<NodePrepareResourcesResponse>): Uint8Array {
  const w = new Writer();
  writeNodePrepareResourcesResponse(w, m);
  return w.finish();
}

export interface PreparedEntry {
  key: string;
  value: NodePrepareResourceResponse | undefined;
}
function readPreparedEntry(r: Reader, end: number): PreparedEntry {
  const m: PreparedEntry = { key: '', value: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.key = r.string(); break;
      case 18: m.value = readNodePrepareResourceResponse(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePreparedEntry(w: Writer, m: Init<PreparedEntry>): void {
  if (m.key) w.string(10, m.key);
  if (m.value !== undefined) { const at = w.open(18); writeNodePrepareResourceResponse(w, m.value); w.close(at); }
}
export function decodePreparedEntry(bytes: Uint8Array): PreparedEntry {
  const r = new Reader(bytes);
  return readPreparedEntry(r, r.end);
}
export function encodePreparedEntry(m: Init<PreparedEntry>): Uint8Array {
  const w = new Writer();
  writePreparedEntry(w, m);
  return w.finish();
}

export interface NodePrepareResourceResponse {
  devices: Device[];
  error: string;
}
function readNodePrepareResourceResponse(r: Reader, end: number): NodePrepareResourceResponse {
  const m: NodePrepareResourceResponse = { devices: [], error: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.devices.push(readDevice(r, r.length())); break;
      case 18: m.error = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodePrepareResourceResponse(w: Writer, m: Init<NodePrepareResourceResponse>): void {
  if (m.devices !== undefined) for (const v of m.devices) { const at = w.open(10); writeDevice(w, v); w.close(at); }
  if (m.error) w.string(18, m.error);
}
export function decodeNodePrepareResourceResponse(bytes: Uint8Array): NodePrepareResourceResponse {
  const r = new Reader(bytes);
  return readNodePrepareResourceResponse(r, r.end);
}
export function encodeNodePrepareResourceResponse(m: Init<NodePrepareResourceResponse>): Uint8Array {
  const w = new Writer();
  writeNodePrepareResourceResponse(w, m);
  return w.finish();
}

export interface Device {
  requestNames: string[];
  poolName: string;
  deviceName: string;
  cdiDeviceIds: string[];
  shareId: string | undefined;
}
function readDevice(r: Reader, end: number): Device {
  const m: Device = { requestNames: [], poolName: '', deviceName: '', cdiDeviceIds: [], shareId: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.requestNames.push(r.string()); break;
      case 18: m.poolName = r.string(); break;
      case 26: m.deviceName = r.string(); break;
      case 34: m.cdiDeviceIds.push(r.string()); break;
      case 42: m.shareId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeDevice(w: Writer, m: Init<Device>): void {
  if (m.requestNames !== undefined) for (const v of m.requestNames) w.string(10, v);
  if (m.poolName) w.string(18, m.poolName);
  if (m.deviceName) w.string(26, m.deviceName);
  if (m.cdiDeviceIds !== undefined) for (const v of m.cdiDeviceIds) w.string(34, v);
  if (m.shareId !== undefined) w.string(42, m.shareId);
}
export function decodeDevice(bytes: Uint8Array): Device {
  const r = new Reader(bytes);
  return readDevice(r, r.end);
}
export function encodeDevice(m: Init<Device>): Uint8Array {
  const w = new Writer();
  writeDevice(w, m);
  return w.finish();
}

export interface NodeUnprepareResourcesRequest {
  claims: Claim[];
}
function readNodeUnprepareResourcesRequest(r: Reader, end: number): NodeUnprepareResourcesRequest {
  const m: NodeUnprepareResourcesRequest = { claims: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.claims.push(readClaim(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeUnprepareResourcesRequest(w: Writer, m: Init<NodeUnprepareResourcesRequest>): void {
  if (m.claims !== undefined) for (const v of m.claims) { const at = w.open(10); writeClaim(w, v); w.close(at); }
}
export function decodeNodeUnprepareResourcesRequest(bytes: Uint8Array): NodeUnprepareResourcesRequest {
  const r = new Reader(bytes);
  return readNodeUnprepareResourcesRequest(r, r.end);
}
export function encodeNodeUnprepareResourcesRequest(m: Init<NodeUnprepareResourcesRequest>): Uint8Array {
  const w = new Writer();
  writeNodeUnprepareResourcesRequest(w, m);
  return w.finish();
}

export interface NodeUnprepareResourcesResponse {
  claims: UnpreparedEntry[];
}
function readNodeUnprepareResourcesResponse(r: Reader, end: number): NodeUnprepareResourcesResponse {
  const m: NodeUnprepareResourcesResponse = { claims: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.claims.push(readUnpreparedEntry(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeUnprepareResourcesResponse(w: Writer, m: Init<NodeUnprepareResourcesResponse>): void {
  if (m.claims !== undefined) for (const v of m.claims) { const at = w.open(10); writeUnpreparedEntry(w, v); w.close(at); }
}
export function decodeNodeUnprepareResourcesResponse(bytes: Uint8Array): NodeUnprepareResourcesResponse {
  const r = new Reader(bytes);
  return readNodeUnprepareResourcesResponse(r, r.end);
}
export function encodeNodeUnprepareResourcesResponse(m: Init<NodeUnprepareResourcesResponse>): Uint8Array {
  const w = new Writer();
  writeNodeUnprepareResourcesResponse(w, m);
  return w.finish();
}

export interface UnpreparedEntry {
  key: string;
  value: NodeUnprepareResourceResponse | undefined;
}
function readUnpreparedEntry(r: Reader, end: number): UnpreparedEntry {
  const m: UnpreparedEntry = { key: '', value: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.key = r.string(); break;
      case 18: m.value = readNodeUnprepareResourceResponse(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeUnpreparedEntry(w: Writer, m: Init<UnpreparedEntry>): void {
  if (m.key) w.string(10, m.key);
  if (m.value !== undefined) { const at = w.open(18); writeNodeUnprepareResourceResponse(w, m.value); w.close(at); }
}
export function decodeUnpreparedEntry(bytes: Uint8Array): UnpreparedEntry {
  const r = new Reader(bytes);
  return readUnpreparedEntry(r, r.end);
}
export function encodeUnpreparedEntry(m: Init<UnpreparedEntry>): Uint8Array {
  const w = new Writer();
  writeUnpreparedEntry(w, m);
  return w.finish();
}

export interface NodeUnprepareResourceResponse {
  error: string;
}
function readNodeUnprepareResourceResponse(r: Reader, end: number): NodeUnprepareResourceResponse {
  const m: NodeUnprepareResourceResponse = { error: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.error = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeUnprepareResourceResponse(w: Writer, m: Init<NodeUnprepareResourceResponse>): void {
  if (m.error) w.string(10, m.error);
}
export function decodeNodeUnprepareResourceResponse(bytes: Uint8Array): NodeUnprepareResourceResponse {
  const r = new Reader(bytes);
  return readNodeUnprepareResourceResponse(r, r.end);
}
export function encodeNodeUnprepareResourceResponse(m: Init<NodeUnprepareResourceResponse>): Uint8Array {
  const w = new Writer();
  writeNodeUnprepareResourceResponse(w, m);
  return w.finish();
}

export const DRAPlugin = {
  NodePrepareResources: { service: 'DRAPlugin', name: 'NodePrepareResources', serverStreaming: false, encodeRequest: encodeNodePrepareResourcesRequest, decodeResponse: decodeNodePrepareResourcesResponse } satisfies Method<NodePrepareResourcesRequest, NodePrepareResourcesResponse>,
  NodeUnprepareResources: { service: 'DRAPlugin', name: 'NodeUnprepareResources', serverStreaming: false, encodeRequest: encodeNodeUnprepareResourcesRequest, decodeResponse: decodeNodeUnprepareResourcesResponse } satisfies Method<NodeUnprepareResourcesRequest, NodeUnprepareResourcesResponse>,
} as const;
