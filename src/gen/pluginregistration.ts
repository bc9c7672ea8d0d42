// Generated from proto/pluginregistration.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'pluginregistration';

export interface InfoRequest {
}
function readInfoRequest(r: Reader, end: number): InfoRequest {
  const m: InfoRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeInfoRequest(_w: Writer, _m: Init<InfoRequest>): void {
}
export function decodeInfoRequest(bytes: Uint8Array): InfoRequest {
  const r = new Reader(bytes);
  return readInfoRequest(r, r.end);
}
export function encodeInfoRequest(m: Init<InfoRequest>): Uint8Array {
  const w = new Writer();
  writeInfoRequest(w, m);
  return w.finish();
}

export interface PluginInfo {
  type: string;
  name: string;
  endpoint: string;
  supportedVersions: string[];
}
function readPluginInfo(r: Reader, end: number): PluginInfo {
  const m: PluginInfo = { type: '', name: '', endpoint: '', supportedVersions: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.type = r.string(); break;
      case 18: m.name = r.string(); break;
      case 26: m.endpoint = r.string(); break;
      case 34: m.supportedVersions.push(r.string()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePluginInfo(w: Writer, m: Init<PluginInfo>): void {
  if (m.type) w.string(10, m.type);
  if (m.name) w.string(18, m.name);
  if (m.endpoint) w.string(26, m.endpoint);
  if (m.supportedVersions !== undefined) for (const v of m.supportedVersions) w.string(34, v);
}
export function decodePluginInfo(bytes: Uint8Array): PluginInfo {
  const r = new Reader(bytes);
  return readPluginInfo(r, r.end);
}
export function encodePluginInfo(m: Init<PluginInfo>): Uint8Array {
  const w = new Writer();
  writePluginInfo(w, m);
  return w.finish();
}

export interface RegistrationStatus {
  pluginRegistered: boolean;
  error: string;
}
function readRegistrationStatus(r: Reader, end: number): RegistrationStatus {
  const m: RegistrationStatus = { pluginRegistered: false, error: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.pluginRegistered = r.bool(); break;
      case 18: m.error = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRegistrationStatus(w: Writer, m: Init<RegistrationStatus>): void {
  if (m.pluginRegistered) w.bool(8, m.pluginRegistered);
  if (m.error) w.string(18, m.error);
}
export function decodeRegistrationStatus(bytes: Uint8Array): RegistrationStatus {
  const r = new Reader(bytes);
  return readRegistrationStatus(r, r.end);
}
export function encodeRegistrationStatus(m: Init<RegistrationStatus>): Uint8Array {
  const w = new Writer();
  writeRegistrationStatus(w, m);
  return w.finish();
}

export interface RegistrationStatusResponse {
}
function readRegistrationStatusResponse(r: Reader, end: number): RegistrationStatusResponse {
  const m: RegistrationStatusResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeRegistrationStatusResponse(_w: Writer, _m: Init<RegistrationStatusResponse>): void {
}
export function decodeRegistrationStatusResponse(bytes: Uint8Array): RegistrationStatusResponse {
  const r = new Reader(bytes);
  return readRegistrationStatusResponse(r, r.end);
}
export function encodeRegistrationStatusResponse(m: Init<RegistrationStatusResponse>): Uint8Array {
  const w = new Writer();
  writeRegistrationStatusResponse(w, m);
  return w.finish();
}

export const Registration = {
  GetInfo: { service: 'Registration', name: 'GetInfo', serverStreaming: false, encodeRequest: encodeInfoRequest, decodeResponse: decodePluginInfo } satisfies Method<InfoRequest, PluginInfo>,
  NotifyRegistrationStatus: { service: 'Registration', name: 'NotifyRegistrationStatus', serverStreaming: false, encodeRequest: encodeRegistrationStatus, decodeResponse: decodeRegistrationStatusResponse } satisfies Method<RegistrationStatus, RegistrationStatusResponse>,
} as const;
