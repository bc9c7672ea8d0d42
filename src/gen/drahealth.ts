// Generated from proto/drahealth.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'v1alpha1';

export interface NodeWatchResourcesRequest {
}
function readNodeWatchResourcesRequest(r: Reader, end: number): NodeWatchResourcesRequest {
  const m: NodeWatchResourcesRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeNodeWatchResourcesRequest(_w: Writer, _m: Init<NodeWatchResourcesRequest>): void {
}
export function decodeNodeWatchResourcesRequest(bytes: Uint8Array): NodeWatchResourcesRequest {
  const r = new Reader(bytes);
  return readNodeWatchResourcesRequest(r, r.end);
}
export function encodeNodeWatchResourcesRequest(m: Init<NodeWatchResourcesRequest>): Uint8Array {
  const w = new Writer();
  writeNodeWatchResourcesRequest(w, m);
  return w.finish();
}

export interface DeviceIdentifier {
  poolName: string;
  deviceName: string;
}
function readDeviceIdentifier(r: Reader, end: number): DeviceIdentifier {
  const m: DeviceIdentifier = { poolName: '', deviceName: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.poolName = r.string(); break;
      case 18: m.deviceName = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeDeviceIdentifier(w: Writer, m: Init<DeviceIdentifier>): void {
  if (m.poolName) w.string(10, m.poolName);
  if (m.deviceName) w.string(18, m.deviceName);
}
export function decodeDeviceIdentifier(bytes: Uint8Array): DeviceIdentifier {
  const r = new Reader(bytes);
  return readDeviceIdentifier(r, r.end);
}
export function encodeDeviceIdentifier(m: Init<DeviceIdentifier>): Uint8Array {
  const w = new Writer();
  writeDeviceIdentifier(w, m);
  return w.finish();
}

export interface DeviceHealth {
  device: DeviceIdentifier | undefined;
  health: number;
  lastUpdatedTime: number;
  healthCheckTimeoutSeconds: number;
  message: string;
}
function readDeviceHealth(r: Reader, end: number): DeviceHealth {
  const m: DeviceHealth = { device: undefined, health: 0, lastUpdatedTime: 0, healthCheckTimeoutSeconds: 0, message: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.device = readDeviceIdentifier(r, r.length()); break;
      case 16: m.health = r.int32(); break;
      case 24: m.lastUpdatedTime = r.int64(); break;
      case 32: m.healthCheckTimeoutSeconds = r.int64(); break;
      case 42: m.message = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeDeviceHealth(w: Writer, m: Init<DeviceHealth>): void {
  if (m.device !== undefined) { const at = w.open(10); writeDeviceIdentifier(w, m.device); w.close(at); }
  if (m.health) w.int32(16, m.health);
  if (m.lastUpdatedTime) w.int64(24, m.lastUpdatedTime);
  if (m.healthCheckTimeoutSeconds) w.int64(32, m.healthCheckTimeoutSeconds);
  if (m.message) w.string(42, m.message);
}
export function decodeDeviceHealth(bytes: Uint8Array): DeviceHealth {
  const r = new Reader(bytes);
  return readDeviceHealth(r, r.end);
}
export function encodeDeviceHealth(m: Init<DeviceHealth>): Uint8Array {
  const w = new Writer();
  writeDeviceHealth(w, m);
  return w.finish();
}

export interface NodeWatchResourcesResponse {
  devices: DeviceHealth[];
}
function readNodeWatchResourcesResponse(r: Reader, end: number): NodeWatchResourcesResponse {
  const m: NodeWatchResourcesResponse = { devices: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.devices.push(readDeviceHealth(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeWatchResourcesResponse(w: Writer, m: Init<NodeWatchResourcesResponse>): void {
  if (m.devices !== undefined) for (const v of m.devices) { const at = w.open(10); writeDeviceHealth(w, v); w.close(at); }
}
export function decodeNodeWatchResourcesResponse(bytes: Uint8Array): NodeWatchResourcesResponse {
  const r = new Reader(bytes);
  return readNodeWatchResourcesResponse(r, r.end);
}
export function encodeNodeWatchResourcesResponse(m: Init<NodeWatchResourcesResponse>): Uint8Array {
  const w = new Writer();
  writeNodeWatchResourcesResponse(w, m);
  return w.finish();
}

export const DRAResourceHealth = {
  NodeWatchResources: { service: 'DRAResourceHealth', name: 'NodeWatchResources', serverStreaming: true, encodeRequest: encodeNodeWatchResourcesRequest, decodeResponse: decodeNodeWatchResourcesResponse } satisfies Method<NodeWatchResourcesRequest, NodeWatchResourcesResponse>,
} as const;
