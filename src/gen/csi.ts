// Generated from proto/csi.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'csi.v1';

export const VolumeCapability_AccessMode_Mode = {
  UNKNOWN: 0,
  SINGLE_NODE_WRITER: 1,
  SINGLE_NODE_READER_ONLY: 2,
  MULTI_NODE_READER_ONLY: 3,
  MULTI_NODE_SINGLE_WRITER: 4,
  MULTI_NODE_MULTI_WRITER: 5,
  SINGLE_NODE_SINGLE_WRITER: 6,
  SINGLE_NODE_MULTI_WRITER: 7,
} as const;
export type VolumeCapability_AccessMode_Mode = number;

export const VolumeUsage_Unit = {
  UNKNOWN: 0,
  BYTES: 1,
  INODES: 2,
} as const;
export type VolumeUsage_Unit = number;

export const NodeServiceCapability_RPC_Type = {
  UNKNOWN: 0,
  STAGE_UNSTAGE_VOLUME: 1,
  GET_VOLUME_STATS: 2,
  EXPAND_VOLUME: 3,
  VOLUME_CONDITION: 4,
  SINGLE_NODE_MULTI_WRITER: 5,
  VOLUME_MOUNT_GROUP: 6,
} as const;
export type NodeServiceCapability_RPC_Type = number;

export interface VolumeCapability {
  block: VolumeCapability_BlockVolume | undefined;
  mount: VolumeCapability_MountVolume | undefined;
  accessMode: VolumeCapability_AccessMode | undefined;
}
function readVolumeCapability(r: Reader, end: number): VolumeCapability {
  const m: VolumeCapability = { block: undefined, mount: undefined, accessMode: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.block = readVolumeCapability_BlockVolume(r, r.length()); m.mount = undefined; break;
      case 18: m.mount = readVolumeCapability_MountVolume(r, r.length()); m.block = undefined; break;
      case 26: m.accessMode = readVolumeCapability_AccessMode(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeVolumeCapability(w: Writer, m: Init<VolumeCapability>): void {
  if (m.block !== undefined) { const at = w.open(10); writeVolumeCapability_BlockVolume(w, m.block); w.close(at); }
  if (m.mount !== undefined) { const at = w.open(18); writeVolumeCapability_MountVolume(w, m.mount); w.close(at); }
  if (m.accessMode !== undefined) { const at = w.open(26); writeVolumeCapability_AccessMode(w, m.accessMode); w.close(at); }
}
export function decodeVolumeCapability(bytes: Uint8Array): VolumeCapability {
  const r = new Reader(bytes);
  return readVolumeCapability(r, r.end);
}
export function encodeVolumeCapability(m: Init<VolumeCapability>): Uint8Array {
  const w = new Writer();
  writeVolumeCapability(w, m);
  return w.finish();
}

export interface VolumeCapability_BlockVolume {
}
function readVolumeCapability_BlockVolume(r: Reader, end: number): VolumeCapability_BlockVolume {
  const m: VolumeCapability_BlockVolume = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeVolumeCapability_BlockVolume(_w: Writer, _m: Init<VolumeCapability_BlockVolume>): void {
}
export function decodeVolumeCapability_BlockVolume(bytes: Uint8Array): VolumeCapability_BlockVolume {
  const r = new Reader(bytes);
  return readVolumeCapability_BlockVolume(r, r.end);
}
export function encodeVolumeCapability_BlockVolume(m: Init<VolumeCapability_BlockVolume>): Uint8Array {
  const w = new Writer();
  writeVolumeCapability_BlockVolume(w, m);
  return w.finish();
}

export interface VolumeCapability_MountVolume {
  fsType: string;
  mountFlags: string[];
  volumeMountGroup: string;
}
function readVolumeCapability_MountVolume(r: Reader, end: number): VolumeCapability_MountVolume {
  const m: VolumeCapability_MountVolume = { fsType: '', mountFlags: [], volumeMountGroup: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.fsType = r.string(); break;
      case 18: m.mountFlags.push(r.string()); break;
      case 26: m.volumeMountGroup = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeVolumeCapability_MountVolume(w: Writer, m: Init<VolumeCapability_MountVolume>): void {
  if (m.fsType) w.string(10, m.fsType);
  if (m.mountFlags !== undefined) for (const v of m.mountFlags) w.string(18, v);
  if (m.volumeMountGroup) w.string(26, m.volumeMountGroup);
}
export function decodeVolumeCapability_MountVolume(bytes: Uint8Array): VolumeCapability_MountVolume {
  const r = new Reader(bytes);
  return readVolumeCapability_MountVolume(r, r.end);
}
export function encodeVolumeCapability_MountVolume(m: Init<VolumeCapability_MountVolume>): Uint8Array {
  const w = new Writer();
  writeVolumeCapability_MountVolume(w, m);
  return w.finish();
}

export interface VolumeCapability_AccessMode {
  mode: VolumeCapability_AccessMode_Mode;
}
function readVolumeCapability_AccessMode(r: Reader, end: number): VolumeCapability_AccessMode {
  const m: VolumeCapability_AccessMode = { mode: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.mode = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeVolumeCapability_AccessMode(w: Writer, m: Init<VolumeCapability_AccessMode>): void {
  if (m.mode) w.int32(8, m.mode);
}
export function decodeVolumeCapability_AccessMode(bytes: Uint8Array): VolumeCapability_AccessMode {
  const r = new Reader(bytes);
  return readVolumeCapability_AccessMode(r, r.end);
}
export function encodeVolumeCapability_AccessMode(m: Init<VolumeCapability_AccessMode>): Uint8Array {
  const w = new Writer();
  writeVolumeCapability_AccessMode(w, m);
  return w.finish();
}

export interface NodeStageVolumeRequest {
  volumeId: string;
  publishContext: Record<string, string>;
  stagingTargetPath: string;
  volumeCapability: VolumeCapability | undefined;
  secrets: Record<string, string>;
  volumeContext: Record<string, string>;
}
function readNodeStageVolumeRequest(r: Reader, end: number): NodeStageVolumeRequest {
  const m: NodeStageVolumeRequest = { volumeId: '', publishContext: {}, stagingTargetPath: '', volumeCapability: undefined, secrets: {}, volumeContext: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.volumeId = r.string(); break;
      case 18: r.stringEntry(m.publishContext); break;
      case 26: m.stagingTargetPath = r.string(); break;
      case 34: m.volumeCapability = readVolumeCapability(r, r.length()); break;
      case 42: r.stringEntry(m.secrets); break;
      case 50: r.stringEntry(m.volumeContext); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeStageVolumeRequest(w: Writer, m: Init<NodeStageVolumeRequest>): void {
  if (m.volumeId) w.string(10, m.volumeId);
  if (m.publishContext !== undefined) w.stringMap(18, m.publishContext);
  if (m.stagingTargetPath) w.string(26, m.stagingTargetPath);
  if (m.volumeCapability !== undefined) { const at = w.open(34); writeVolumeCapability(w, m.volumeCapability); w.close(at); }
  if (m.secrets !== undefined) w.stringMap(42, m.secrets);
  if (m.volumeContext !== undefined) w.stringMap(50, m.volumeContext);
}
export function decodeNodeStageVolumeRequest(bytes: Uint8Array): NodeStageVolumeRequest {
  const r = new Reader(bytes);
  return readNodeStageVolumeRequest(r, r.end);
}
export function encodeNodeStageVolumeRequest(m: Init<NodeStageVolumeRequest>): Uint8Array {
  const w = new Writer();
  writeNodeStageVolumeRequest(w, m);
  return w.finish();
}

export interface NodeStageVolumeResponse {
}
function readNodeStageVolumeResponse(r: Reader, end: number): NodeStageVolumeResponse {
  const m: NodeStageVolumeResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeNodeStageVolumeResponse(_w: Writer, _m: Init<NodeStageVolumeResponse>): void {
}
export function decodeNodeStageVolumeResponse(bytes: Uint8Array): NodeStageVolumeResponse {
  const r = new Reader(bytes);
  return readNodeStageVolumeResponse(r, r.end);
}
export function encodeNodeStageVolumeResponse(m: Init<NodeStageVolumeResponse>): Uint8Array {
  const w = new Writer();
  writeNodeStageVolumeResponse(w, m);
  return w.finish();
}

export interface NodeUnstageVolumeRequest {
  volumeId: string;
  stagingTargetPath: string;
}
function readNodeUnstageVolumeRequest(r: Reader, end: number): NodeUnstageVolumeRequest {
  const m: NodeUnstageVolumeRequest = { volumeId: '', stagingTargetPath: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.volumeId = r.string(); break;
      case 18: m.stagingTargetPath = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeUnstageVolumeRequest(w: Writer, m: Init<NodeUnstageVolumeRequest>): void {
  if (m.volumeId) w.string(10, m.volumeId);
  if (m.stagingTargetPath) w.string(18, m.stagingTargetPath);
}
export function decodeNodeUnstageVolumeRequest(bytes: Uint8Array): NodeUnstageVolumeRequest {
  const r = new Reader(bytes);
  return readNodeUnstageVolumeRequest(r, r.end);
}
export function encodeNodeUnstageVolumeRequest(m: Init<NodeUnstageVolumeRequest>): Uint8Array {
  const w = new Writer();
  writeNodeUnstageVolumeRequest(w, m);
  return w.finish();
}

export interface NodeUnstageVolumeResponse {
}
function readNodeUnstageVolumeResponse(r: Reader, end: number): NodeUnstageVolumeResponse {
  const m: NodeUnstageVolumeResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeNodeUnstageVolumeResponse(_w: Writer, _m: Init<NodeUnstageVolumeResponse>): void {
}
export function decodeNodeUnstageVolumeResponse(bytes: Uint8Array): NodeUnstageVolumeResponse {
  const r = new Reader(bytes);
  return readNodeUnstageVolumeResponse(r, r.end);
}
export function encodeNodeUnstageVolumeResponse(m: Init<NodeUnstageVolumeResponse>): Uint8Array {
  const w = new Writer();
  writeNodeUnstageVolumeResponse(w, m);
  return w.finish();
}

export interface NodePublishVolumeRequest {
  volumeId: string;
  publishContext: Record<string, string>;
  stagingTargetPath: string;
  targetPath: string;
  volumeCapability: VolumeCapability | undefined;
  readonly: boolean;
  secrets: Record<string, string>;
  volumeContext: Record<string, string>;
}
function readNodePublishVolumeRequest(r: Reader, end: number): NodePublishVolumeRequest {
  const m: NodePublishVolumeRequest = { volumeId: '', publishContext: {}, stagingTargetPath: '', targetPath: '', volumeCapability: undefined, readonly: false, secrets: {}, volumeContext: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.volumeId = r.string(); break;
      case 18: r.stringEntry(m.publishContext); break;
      case 26: m.stagingTargetPath = r.string(); break;
      case 34: m.targetPath = r.string(); break;
      case 42: m.volumeCapability = readVolumeCapability(r, r.length()); break;
      case 48: m.readonly = r.bool(); break;
      case 58: r.stringEntry(m.secrets); break;
      case 66: r.stringEntry(m.volumeContext); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodePublishVolumeRequest(w: Writer, m: Init<NodePublishVolumeRequest>): void {
  if (m.volumeId) w.string(10, m.volumeId);
  if (m.publishContext !== undefined) w.stringMap(18, m.publishContext);
  if (m.stagingTargetPath) w.string(26, m.stagingTargetPath);
  if (m.targetPath) w.string(34, m.targetPath);
  if (m.volumeCapability !== undefined) { const at = w.open(42); writeVolumeCapability(w, m.volumeCapability); w.close(at); }
  if (m.readonly) w.bool(48, m.readonly);
  if (m.secrets !== undefined) w.stringMap(58, m.secrets);
  if (m.volumeContext !== undefined) w.stringMap(66, m.volumeContext);
}
export function decodeNodePublishVolumeRequest(bytes: Uint8Array): NodePublishVolumeRequest {
  const r = new Reader(bytes);
  return readNodePublishVolumeRequest(r, r.end);
}
export function encodeNodePublishVolumeRequest(m: Init<NodePublishVolumeRequest>): Uint8Array {
  const w = new Writer();
  writeNodePublishVolumeRequest(w, m);
  return w.finish();
}

export interface NodePublishVolumeResponse {
}
function readNodePublishVolumeResponse(r: Reader, end: number): NodePublishVolumeResponse {
  const m: NodePublishVolumeResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeNodePublishVolumeResponse(_w: Writer, _m: Init<NodePublishVolumeResponse>): void {
}
export function decodeNodePublishVolumeResponse(bytes: Uint8Array): NodePublishVolumeResponse {
  const r = new Reader(bytes);
  return readNodePublishVolumeResponse(r, r.end);
}
export function encodeNodePublishVolumeResponse(m: Init<NodePublishVolumeResponse>): Uint8Array {
  const w = new Writer();
  writeNodePublishVolumeResponse(w, m);
  return w.finish();
}

export interface NodeUnpublishVolumeRequest {
  volumeId: string;
  targetPath: string;
}
function readNodeUnpublishVolumeRequest(r: Reader, end: number): NodeUnpublishVolumeRequest {
  const m: NodeUnpublishVolumeRequest = { volumeId: '', targetPath: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.volumeId = r.string(); break;
      case 18: m.targetPath = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeUnpublishVolumeRequest(w: Writer, m: Init<NodeUnpublishVolumeRequest>): void {
  if (m.volumeId) w.string(10, m.volumeId);
  if (m.targetPath) w.string(18, m.targetPath);
}
export function decodeNodeUnpublishVolumeRequest(bytes: Uint8Array): NodeUnpublishVolumeRequest {
  const r = new Reader(bytes);
  return readNodeUnpublishVolumeRequest(r, r.end);
}
export function encodeNodeUnpublishVolumeRequest(m: Init<NodeUnpublishVolumeRequest>): Uint8Array {
  const w = new Writer();
  writeNodeUnpublishVolumeRequest(w, m);
  return w.finish();
}

export interface NodeUnpublishVolumeResponse {
}
function readNodeUnpublishVolumeResponse(r: Reader, end: number): NodeUnpublishVolumeResponse {
  const m: NodeUnpublishVolumeResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeNodeUnpublishVolumeResponse(_w: Writer, _m: Init<NodeUnpublishVolumeResponse>): void {
}
export function decodeNodeUnpublishVolumeResponse(bytes: Uint8Array): NodeUnpublishVolumeResponse {
  const r = new Reader(bytes);
  return readNodeUnpublishVolumeResponse(r, r.end);
}
export function encodeNodeUnpublishVolumeResponse(m: Init<NodeUnpublishVolumeResponse>): Uint8Array {
  const w = new Writer();
  writeNodeUnpublishVolumeResponse(w, m);
  return w.finish();
}

export interface NodeGetVolumeStatsRequest {
  volumeId: string;
  volumePath: string;
  stagingTargetPath: string;
}
function readNodeGetVolumeStatsRequest(r: Reader, end: number): NodeGetVolumeStatsRequest {
  const m: NodeGetVolumeStatsRequest = { volumeId: '', volumePath: '', stagingTargetPath: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.volumeId = r.string(); break;
      case 18: m.volumePath = r.string(); break;
      case 26: m.stagingTargetPath = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeGetVolumeStatsRequest(w: Writer, m: Init<NodeGetVolumeStatsRequest>): void {
  if (m.volumeId) w.string(10, m.volumeId);
  if (m.volumePath) w.string(18, m.volumePath);
  if (m.stagingTargetPath) w.string(26, m.stagingTargetPath);
}
export function decodeNodeGetVolumeStatsRequest(bytes: Uint8Array): NodeGetVolumeStatsRequest {
  const r = new Reader(bytes);
  return readNodeGetVolumeStatsRequest(r, r.end);
}
export function encodeNodeGetVolumeStatsRequest(m: Init<NodeGetVolumeStatsRequest>): Uint8Array {
  const w = new Writer();
  writeNodeGetVolumeStatsRequest(w, m);
  return w.finish();
}

export interface NodeGetVolumeStatsResponse {
  usage: VolumeUsage[];
  volumeCondition: VolumeCondition | undefined;
}
function readNodeGetVolumeStatsResponse(r: Reader, end: number): NodeGetVolumeStatsResponse {
  const m: NodeGetVolumeStatsResponse = { usage: [], volumeCondition: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.usage.push(readVolumeUsage(r, r.length())); break;
      case 18: m.volumeCondition = readVolumeCondition(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeGetVolumeStatsResponse(w: Writer, m: Init<NodeGetVolumeStatsResponse>): void {
  if (m.usage !== undefined) for (const v of m.usage) { const at = w.open(10); writeVolumeUsage(w, v); w.close(at); }
  if (m.volumeCondition !== undefined) { const at = w.open(18); writeVolumeCondition(w, m.volumeCondition); w.close(at); }
}
export function decodeNodeGetVolumeStatsResponse(bytes: Uint8Array): NodeGetVolumeStatsResponse {
  const r = new Reader(bytes);
  return readNodeGetVolumeStatsResponse(r, r.end);
}
export function encodeNodeGetVolumeStatsResponse(m: Init<NodeGetVolumeStatsResponse>): Uint8Array {
  const w = new Writer();
  writeNodeGetVolumeStatsResponse(w, m);
  return w.finish();
}

export interface VolumeUsage {
  available: number;
  total: number;
  used: number;
  unit: VolumeUsage_Unit;
}
function readVolumeUsage(r: Reader, end: number): VolumeUsage {
  const m: VolumeUsage = { available: 0, total: 0, used: 0, unit: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.available = r.int64(); break;
      case 16: m.total = r.int64(); break;
      case 24: m.used = r.int64(); break;
      case 32: m.unit = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeVolumeUsage(w: Writer, m: Init<VolumeUsage>): void {
  if (m.available) w.int64(8, m.available);
  if (m.total) w.int64(16, m.total);
  if (m.used) w.int64(24, m.used);
  if (m.unit) w.int32(32, m.unit);
}
export function decodeVolumeUsage(bytes: Uint8Array): VolumeUsage {
  const r = new Reader(bytes);
  return readVolumeUsage(r, r.end);
}
export function encodeVolumeUsage(m: Init<VolumeUsage>): Uint8Array {
  const w = new Writer();
  writeVolumeUsage(w, m);
  return w.finish();
}

export interface VolumeCondition {
  abnormal: boolean;
  message: string;
}
function readVolumeCondition(r: Reader, end: number): VolumeCondition {
  const m: VolumeCondition = { abnormal: false, message: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.abnormal = r.bool(); break;
      case 18: m.message = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeVolumeCondition(w: Writer, m: Init<VolumeCondition>): void {
  if (m.abnormal) w.bool(8, m.abnormal);
  if (m.message) w.string(18, m.message);
}
export function decodeVolumeCondition(bytes: Uint8Array): VolumeCondition {
  const r = new Reader(bytes);
  return readVolumeCondition(r, r.end);
}
export function encodeVolumeCondition(m: Init<VolumeCondition>): Uint8Array {
  const w = new Writer();
  writeVolumeCondition(w, m);
  return w.finish();
}

export interface NodeGetCapabilitiesRequest {
}
function readNodeGetCapabilitiesRequest(r: Reader, end: number): NodeGetCapabilitiesRequest {
  const m: NodeGetCapabilitiesRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeNodeGetCapabilitiesRequest(_w: Writer, _m: Init<NodeGetCapabilitiesRequest>): void {
}
export function decodeNodeGetCapabilitiesRequest(bytes: Uint8Array): NodeGetCapabilitiesRequest {
  const r = new Reader(bytes);
  return readNodeGetCapabilitiesRequest(r, r.end);
}
export function encodeNodeGetCapabilitiesRequest(m: Init<NodeGetCapabilitiesRequest>): Uint8Array {
  const w = new Writer();
  writeNodeGetCapabilitiesRequest(w, m);
  return w.finish();
}

export interface NodeGetCapabilitiesResponse {
  capabilities: NodeServiceCapability[];
}
function readNodeGetCapabilitiesResponse(r: Reader, end: number): NodeGetCapabilitiesResponse {
  const m: NodeGetCapabilitiesResponse = { capabilities: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.capabilities.push(readNodeServiceCapability(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeGetCapabilitiesResponse(w: Writer, m: Init<NodeGetCapabilitiesResponse>): void {
  if (m.capabilities !== undefined) for (const v of m.capabilities) { const at = w.open(10); writeNodeServiceCapability(w, v); w.close(at); }
}
export function decodeNodeGetCapabilitiesResponse(bytes: Uint8Array): NodeGetCapabilitiesResponse {
  const r = new Reader(bytes);
  return readNodeGetCapabilitiesResponse(r, r.end);
}
export function encodeNodeGetCapabilitiesResponse(m: Init<NodeGetCapabilitiesResponse>): Uint8Array {
  const w = new Writer();
  writeNodeGetCapabilitiesResponse(w, m);
  return w.finish();
}

export interface NodeServiceCapability {
  rpc: NodeServiceCapability_RPC | undefined;
}
function readNodeServiceCapability(r: Reader, end: number): NodeServiceCapability {
  const m: NodeServiceCapability = { rpc: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.rpc = readNodeServiceCapability_RPC(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeServiceCapability(w: Writer, m: Init<NodeServiceCapability>): void {
  if (m.rpc !== undefined) { const at = w.open(10); writeNodeServiceCapability_RPC(w, m.rpc); w.close(at); }
}
export function decodeNodeServiceCapability(bytes: Uint8Array): NodeServiceCapability {
  const r = new Reader(bytes);
  return readNodeServiceCapability(r, r.end);
}
export function encodeNodeServiceCapability(m: Init<NodeServiceCapability>): Uint8Array {
  const w = new Writer();
  writeNodeServiceCapability(w, m);
  return w.finish();
}

export interface NodeServiceCapability_RPC {
  type: NodeServiceCapability_RPC_Type;
}
function readNodeServiceCapability_RPC(r: Reader, end: number): NodeServiceCapability_RPC {
  const m: NodeServiceCapability_RPC = { type: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.type = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeServiceCapability_RPC(w: Writer, m: Init<NodeServiceCapability_RPC>): void {
  if (m.type) w.int32(8, m.type);
}
export function decodeNodeServiceCapability_RPC(bytes: Uint8Array): NodeServiceCapability_RPC {
  const r = new Reader(bytes);
  return readNodeServiceCapability_RPC(r, r.end);
}
export function encodeNodeServiceCapability_RPC(m: Init<NodeServiceCapability_RPC>): Uint8Array {
  const w = new Writer();
  writeNodeServiceCapability_RPC(w, m);
  return w.finish();
}

export interface NodeGetInfoRequest {
}
function readNodeGetInfoRequest(r: Reader, end: number): NodeGetInfoRequest {
  const m: NodeGetInfoRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeNodeGetInfoRequest(_w: Writer, _m: Init<NodeGetInfoRequest>): void {
}
export function decodeNodeGetInfoRequest(bytes: Uint8Array): NodeGetInfoRequest {
  const r = new Reader(bytes);
  return readNodeGetInfoRequest(r, r.end);
}
export function encodeNodeGetInfoRequest(m: Init<NodeGetInfoRequest>): Uint8Array {
  const w = new Writer();
  writeNodeGetInfoRequest(w, m);
  return w.finish();
}

export interface NodeGetInfoResponse {
  nodeId: string;
  maxVolumesPerNode: number;
  accessibleTopology: Topology | undefined;
}
function readNodeGetInfoResponse(r: Reader, end: number): NodeGetInfoResponse {
  const m: NodeGetInfoResponse = { nodeId: '', maxVolumesPerNode: 0, accessibleTopology: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.nodeId = r.string(); break;
      case 16: m.maxVolumesPerNode = r.int64(); break;
      case 26: m.accessibleTopology = readTopology(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeGetInfoResponse(w: Writer, m: Init<NodeGetInfoResponse>): void {
  if (m.nodeId) w.string(10, m.nodeId);
  if (m.maxVolumesPerNode) w.int64(16, m.maxVolumesPerNode);
  if (m.accessibleTopology !== undefined) { const at = w.open(26); writeTopology(w, m.accessibleTopology); w.close(at); }
}
export function decodeNodeGetInfoResponse(bytes: Uint8Array): NodeGetInfoResponse {
  const r = new Reader(bytes);
  return readNodeGetInfoResponse(r, r.end);
}
export function encodeNodeGetInfoResponse(m: Init<NodeGetInfoResponse>): Uint8Array {
  const w = new Writer();
  writeNodeGetInfoResponse(w, m);
  return w.finish();
}

export interface Topology {
  segments: Record<string, string>;
}
function readTopology(r: Reader, end: number): Topology {
  const m: Topology = { segments: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: r.stringEntry(m.segments); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeTopology(w: Writer, m: Init<Topology>): void {
  if (m.segments !== undefined) w.stringMap(10, m.segments);
}
export function decodeTopology(bytes: Uint8Array): Topology {
  const r = new Reader(bytes);
  return readTopology(r, r.end);
}
export function encodeTopology(m: Init<Topology>): Uint8Array {
  const w = new Writer();
  writeTopology(w, m);
  return w.finish();
}

export interface NodeExpandVolumeRequest {
  volumeId: string;
  volumePath: string;
  capacityRange: CapacityRange | undefined;
  stagingTargetPath: string;
  volumeCapability: VolumeCapability | undefined;
  secrets: Record<string, string>;
}
function readNodeExpandVolumeRequest(r: Reader, end: number): NodeExpandVolumeRequest {
  const m: NodeExpandVolumeRequest = { volumeId: '', volumePath: '', capacityRange: undefined, stagingTargetPath: '', volumeCapability: undefined, secrets: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.volumeId = r.string(); break;
      case 18: m.volumePath = r.string(); break;
      case 26: m.capacityRange = readCapacityRange(r, r.length()); break;
      case 34: m.stagingTargetPath = r.string(); break;
      case 42: m.volumeCapability = readVolumeCapability(r, r.length()); break;
      case 50: r.stringEntry(m.secrets); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeExpandVolumeRequest(w: Writer, m: Init<NodeExpandVolumeRequest>): void {
  if (m.volumeId) w.string(10, m.volumeId);
  if (m.volumePath) w.string(18, m.volumePath);
  if (m.capacityRange !== undefined) { const at = w.open(26); writeCapacityRange(w, m.capacityRange); w.close(at); }
  if (m.stagingTargetPath) w.string(34, m.stagingTargetPath);
  if (m.volumeCapability !== undefined) { const at = w.open(42); writeVolumeCapability(w, m.volumeCapability); w.close(at); }
  if (m.secrets !== undefined) w.stringMap(50, m.secrets);
}
export function decodeNodeExpandVolumeRequest(bytes: Uint8Array): NodeExpandVolumeRequest {
  const r = new Reader(bytes);
  return readNodeExpandVolumeRequest(r, r.end);
}
export function encodeNodeExpandVolumeRequest(m: Init<NodeExpandVolumeRequest>): Uint8Array {
  const w = new Writer();
  writeNodeExpandVolumeRequest(w, m);
  return w.finish();
}

export interface NodeExpandVolumeResponse {
  capacityBytes: number;
}
function readNodeExpandVolumeResponse(r: Reader, end: number): NodeExpandVolumeResponse {
  const m: NodeExpandVolumeResponse = { capacityBytes: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.capacityBytes = r.int64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNodeExpandVolumeResponse(w: Writer, m: Init<NodeExpandVolumeResponse>): void {
  if (m.capacityBytes) w.int64(8, m.capacityBytes);
}
export function decodeNodeExpandVolumeResponse(bytes: Uint8Array): NodeExpandVolumeResponse {
  const r = new Reader(bytes);
  return readNodeExpandVolumeResponse(r, r.end);
}
export function encodeNodeExpandVolumeResponse(m: Init<NodeExpandVolumeResponse>): Uint8Array {
  const w = new Writer();
  writeNodeExpandVolumeResponse(w, m);
  return w.finish();
}

export interface CapacityRange {
  requiredBytes: number;
  limitBytes: number;
}
function readCapacityRange(r: Reader, end: number): CapacityRange {
  const m: CapacityRange = { requiredBytes: 0, limitBytes: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.requiredBytes = r.int64(); break;
      case 16: m.limitBytes = r.int64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeCapacityRange(w: Writer, m: Init<CapacityRange>): void {
  if (m.requiredBytes) w.int64(8, m.requiredBytes);
  if (m.limitBytes) w.int64(16, m.limitBytes);
}
export function decodeCapacityRange(bytes: Uint8Array): CapacityRange {
  const r = new Reader(bytes);
  return readCapacityRange(r, r.end);
}
export function encodeCapacityRange(m: Init<CapacityRange>): Uint8Array {
  const w = new Writer();
  writeCapacityRange(w, m);
  return w.finish();
}

export const Node = {
  NodeStageVolume: { service: 'Node', name: 'NodeStageVolume', serverStreaming: false, encodeRequest: encodeNodeStageVolumeRequest, decodeResponse: decodeNodeStageVolumeResponse } satisfies Method<NodeStageVolumeRequest, NodeStageVolumeResponse>,
  NodeUnstageVolume: { service: 'Node', name: 'NodeUnstageVolume', serverStreaming: false, encodeRequest: encodeNodeUnstageVolumeRequest, decodeResponse: decodeNodeUnstageVolumeResponse } satisfies Method<NodeUnstageVolumeRequest, NodeUnstageVolumeResponse>,
  NodePublishVolume: { service: 'Node', name: 'NodePublishVolume', serverStreaming: false, encodeRequest: encodeNodePublishVolumeRequest, decodeResponse: decodeNodePublishVolumeResponse } satisfies Method<NodePublishVolumeRequest, NodePublishVolumeResponse>,
  NodeUnpublishVolume: { service: 'Node', name: 'NodeUnpublishVolume', serverStreaming: false, encodeRequest: encodeNodeUnpublishVolumeRequest, decodeResponse: decodeNodeUnpublishVolumeResponse } satisfies Method<NodeUnpublishVolumeRequest, NodeUnpublishVolumeResponse>,
  NodeGetVolumeStats: { service: 'Node', name: 'NodeGetVolumeStats', serverStreaming: false, encodeRequest: encodeNodeGetVolumeStatsRequest, decodeResponse: decodeNodeGetVolumeStatsResponse } satisfies Method<NodeGetVolumeStatsRequest, NodeGetVolumeStatsResponse>,
  NodeExpandVolume: { service: 'Node', name: 'NodeExpandVolume', serverStreaming: false, encodeRequest: encodeNodeExpandVolumeRequest, decodeResponse: decodeNodeExpandVolumeResponse } satisfies Method<NodeExpandVolumeRequest, NodeExpandVolumeResponse>,
  NodeGetCapabilities: { service: 'Node', name: 'NodeGetCapabilities', serverStreaming: false, encodeRequest: encodeNodeGetCapabilitiesRequest, decodeResponse: decodeNodeGetCapabilitiesResponse } satisfies Method<NodeGetCapabilitiesRequest, NodeGetCapabilitiesResponse>,
  NodeGetInfo: { service: 'Node', name: 'NodeGetInfo', serverStreaming: false, encodeRequest: encodeNodeGetInfoRequest, decodeResponse: decodeNodeGetInfoResponse } satisfies Method<NodeGetInfoRequest, NodeGetInfoResponse>,
} as const;
