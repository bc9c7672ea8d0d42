// Generated from proto/deviceplugin.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'v1beta1';

export interface DevicePluginOptions {
  preStartRequired: boolean;
  getPreferredAllocationAvailable: boolean;
}
function readDevicePluginOptions(r: Reader, end: number): DevicePluginOptions {
  const m: DevicePluginOptions = { preStartRequired: false, getPreferredAllocationAvailable: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.preStartRequired = r.bool(); break;
      case 16: m.getPreferredAllocationAvailable = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeDevicePluginOptions(w: Writer, m: Init<DevicePluginOptions>): void {
  if (m.preStartRequired) w.bool(8, m.preStartRequired);
  if (m.getPreferredAllocationAvailable) w.bool(16, m.getPreferredAllocationAvailable);
}
export function decodeDevicePluginOptions(bytes: Uint8Array): DevicePluginOptions {
  const r = new Reader(bytes);
  return readDevicePluginOptions(r, r.end);
}
export function encodeDevicePluginOptions(m: Init<DevicePluginOptions>): Uint8Array {
  const w = new Writer();
  writeDevicePluginOptions(w, m);
  return w.finish();
}

export interface RegisterRequest {
  version: string;
  endpoint: string;
  resourceName: string;
  options: DevicePluginOptions | undefined;
}
function readRegisterRequest(r: Reader, end: number): RegisterRequest {
  const m: RegisterRequest = { version: '', endpoint: '', resourceName: '', options: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.version = r.string(); break;
      case 18: m.endpoint = r.string(); break;
      case 26: m.resourceName = r.string(); break;
      case 34: m.options = readDevicePluginOptions(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRegisterRequest(w: Writer, m: Init<RegisterRequest>): void {
  if (m.version) w.string(10, m.version);
  if (m.endpoint) w.string(18, m.endpoint);
  if (m.resourceName) w.string(26, m.resourceName);
  if (m.options !== undefined) { const at = w.open(34); writeDevicePluginOptions(w, m.options); w.close(at); }
}
export function decodeRegisterRequest(bytes: Uint8Array): RegisterRequest {
  const r = new Reader(bytes);
  return readRegisterRequest(r, r.end);
}
export function encodeRegisterRequest(m: Init<RegisterRequest>): Uint8Array {
  const w = new Writer();
  writeRegisterRequest(w, m);
  return w.finish();
}

export interface Empty {
}
function readEmpty(r: Reader, end: number): Empty {
  const m: Empty = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeEmpty(_w: Writer, _m: Init<Empty>): void {
}
export function decodeEmpty(bytes: Uint8Array): Empty {
  const r = new Reader(bytes);
  return readEmpty(r, r.end);
}
export function encodeEmpty(m: Init<Empty>): Uint8Array {
  const w = new Writer();
  writeEmpty(w, m);
  return w.finish();
}

export interface ListAndWatchResponse {
  devices: Device[];
}
function readListAndWatchResponse(r: Reader, end: number): ListAndWatchResponse {
  const m: ListAndWatchResponse = { devices: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.devices.push(readDevice(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListAndWatchResponse(w: Writer, m: Init<ListAndWatchResponse>): void {
  if (m.devices !== undefined) for (const v of m.devices) { const at = w.open(10); writeDevice(w, v); w.close(at); }
}
export function decodeListAndWatchResponse(bytes: Uint8Array): ListAndWatchResponse {
  const r = new Reader(bytes);
  return readListAndWatchResponse(r, r.end);
}
export function encodeListAndWatchResponse(m: Init<ListAndWatchResponse>): Uint8Array {
  const w = new Writer();
  writeListAndWatchResponse(w, m);
  return w.finish();
}

export interface TopologyInfo {
  nodes: NUMANode[];
}
function readTopologyInfo(r: Reader, end: number): TopologyInfo {
  const m: TopologyInfo = { nodes: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.nodes.push(readNUMANode(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeTopologyInfo(w: Writer, m: Init<TopologyInfo>): void {
  if (m.nodes !== undefined) for (const v of m.nodes) { const at = w.open(10); writeNUMANode(w, v); w.close(at); }
}
export function decodeTopologyInfo(bytes: Uint8Array): TopologyInfo {
  const r = new Reader(bytes);
  return readTopologyInfo(r, r.end);
}
export function encodeTopologyInfo(m: Init<TopologyInfo>): Uint8Array {
  const w = new Writer();
  writeTopologyInfo(w, m);
  return w.finish();
}

export interface NUMANode {
  ID: number;
}
function readNUMANode(r: Reader, end: number): NUMANode {
  const m: NUMANode = { ID: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.ID = r.int64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNUMANode(w: Writer, m: Init<NUMANode>): void {
  if (m.ID) w.int64(8, m.ID);
}
export function decodeNUMANode(bytes: Uint8Array): NUMANode {
  const r = new Reader(bytes);
  return readNUMANode(r, r.end);
}
export function encodeNUMANode(m: Init<NUMANode>): Uint8Array {
  const w = new Writer();
  writeNUMANode(w, m);
  return w.finish();
}

export interface Device {
  ID: string;
  health: string;
  topology: TopologyInfo | undefined;
}
function readDevice(r: Reader, end: number): Device {
  const m: Device = { ID: '', health: '', topology: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.ID = r.string(); break;
      case 18: m.health = r.string(); break;
      case 26: m.topology = readTopologyInfo(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeDevice(w: Writer, m: Init<Device>): void {
  if (m.ID) w.string(10, m.ID);
  if (m.health) w.string(18, m.health);
  if (m.topology !== undefined) { const at = w.open(26); writeTopologyInfo(w, m.topology); w.close(at); }
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

export interface PreStartContainerRequest {
  devicesIds: string[];
}
function readPreStartContainerRequest(r: Reader, end: number): PreStartContainerRequest {
  const m: PreStartContainerRequest = { devicesIds: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.devicesIds.push(r.string()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePreStartContainerRequest(w: Writer, m: Init<PreStartContainerRequest>): void {
  if (m.devicesIds !== undefined) for (const v of m.devicesIds) w.string(10, v);
}
export function decodePreStartContainerRequest(bytes: Uint8Array): PreStartContainerRequest {
  const r = new Reader(bytes);
  return readPreStartContainerRequest(r, r.end);
}
export function encodePreStartContainerRequest(m: Init<PreStartContainerRequest>): Uint8Array {
  const w = new Writer();
  writePreStartContainerRequest(w, m);
  return w.finish();
}

export interface PreStartContainerResponse {
}
function readPreStartContainerResponse(r: Reader, end: number): PreStartContainerResponse {
  const m: PreStartContainerResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writePreStartContainerResponse(_w: Writer, _m: Init<PreStartContainerResponse>): void {
}
export function decodePreStartContainerResponse(bytes: Uint8Array): PreStartContainerResponse {
  const r = new Reader(bytes);
  return readPreStartContainerResponse(r, r.end);
}
export function encodePreStartContainerResponse(m: Init<PreStartContainerResponse>): Uint8Array {
  const w = new Writer();
  writePreStartContainerResponse(w, m);
  return w.finish();
}

export interface PreferredAllocationRequest {
  containerRequests: ContainerPreferredAllocationRequest[];
}
function readPreferredAllocationRequest(r: Reader, end: number): PreferredAllocationRequest {
  const m: PreferredAllocationRequest = { containerRequests: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerRequests.push(readContainerPreferredAllocationRequest(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePreferredAllocationRequest(w: Writer, m: Init<PreferredAllocationRequest>): void {
  if (m.containerRequests !== undefined) for (const v of m.containerRequests) { const at = w.open(10); writeContainerPreferredAllocationRequest(w, v); w.close(at); }
}
export function decodePreferredAllocationRequest(bytes: Uint8Array): PreferredAllocationRequest {
  const r = new Reader(bytes);
  return readPreferredAllocationRequest(r, r.end);
}
export function encodePreferredAllocationRequest(m: Init<PreferredAllocationRequest>): Uint8Array {
  const w = new Writer();
  writePreferredAllocationRequest(w, m);
  return w.finish();
}

export interface ContainerPreferredAllocationRequest {
  availableDeviceIDs: string[];
  mustIncludeDeviceIDs: string[];
  allocationSize: number;
}
function readContainerPreferredAllocationRequest(r: Reader, end: number): ContainerPreferredAllocationRequest {
  const m: ContainerPreferredAllocationRequest = { availableDeviceIDs: [], mustIncludeDeviceIDs: [], allocationSize: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.availableDeviceIDs.push(r.string()); break;
      case 18: m.mustIncludeDeviceIDs.push(r.string()); break;
      case 24: m.allocationSize = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerPreferredAllocationRequest(w: Writer, m: Init<ContainerPreferredAllocationRequest>): void {
  if (m.availableDeviceIDs !== undefined) for (const v of m.availableDeviceIDs) w.string(10, v);
  if (m.mustIncludeDeviceIDs !== undefined) for (const v of m.mustIncludeDeviceIDs) w.string(18, v);
  if (m.allocationSize) w.int32(24, m.allocationSize);
}
export function decodeContainerPreferredAllocationRequest(bytes: Uint8Array): ContainerPreferredAllocationRequest {
  const r = new Reader(bytes);
  return readContainerPreferredAllocationRequest(r, r.end);
}
export function encodeContainerPreferredAllocationRequest(m: Init<ContainerPreferredAllocationRequest>): Uint8Array {
  const w = new Writer();
  writeContainerPreferredAllocationRequest(w, m);
  return w.finish();
}

export interface PreferredAllocationResponse {
  containerResponses: ContainerPreferredAllocationResponse[];
}
function readPreferredAllocationResponse(r: Reader, end: number): PreferredAllocationResponse {
  const m: PreferredAllocationResponse = { containerResponses: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerResponses.push(readContainerPreferredAllocationResponse(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePreferredAllocationResponse(w: Writer, m: Init<PreferredAllocationResponse>): void {
  if (m.containerResponses !== undefined) for (const v of m.containerResponses) { const at = w.open(10); writeContainerPreferredAllocationResponse(w, v); w.close(at); }
}
export function decodePreferredAllocationResponse(bytes: Uint8Array): PreferredAllocationResponse {
  const r = new Reader(bytes);
  return readPreferredAllocationResponse(r, r.end);
}
export function encodePreferredAllocationResponse(m: Init<PreferredAllocationResponse>): Uint8Array {
  const w = new Writer();
  writePreferredAllocationResponse(w, m);
  return w.finish();
}

export interface ContainerPreferredAllocationResponse {
  deviceIDs: string[];
}
function readContainerPreferredAllocationResponse(r: Reader, end: number): ContainerPreferredAllocationResponse {
  const m: ContainerPreferredAllocationResponse = { deviceIDs: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.deviceIDs.push(r.string()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerPreferredAllocationResponse(w: Writer, m: Init<ContainerPreferredAllocationResponse>): void {
  if (m.deviceIDs !== undefined) for (const v of m.deviceIDs) w.string(10, v);
}
export function decodeContainerPreferredAllocationResponse(bytes: Uint8Array): ContainerPreferredAllocationResponse {
  const r = new Reader(bytes);
  return readContainerPreferredAllocationResponse(r, r.end);
}
export function encodeContainerPreferredAllocationResponse(m: Init<ContainerPreferredAllocationResponse>): Uint8Array {
  const w = new Writer();
  writeContainerPreferredAllocationResponse(w, m);
  return w.finish();
}

export interface AllocateRequest {
  containerRequests: ContainerAllocateRequest[];
}
function readAllocateRequest(r: Reader, end: number): AllocateRequest {
  const m: AllocateRequest = { containerRequests: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerRequests.push(readContainerAllocateRequest(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeAllocateRequest(w: Writer, m: Init<AllocateRequest>): void {
  if (m.containerRequests !== undefined) for (const v of m.containerRequests) { const at = w.open(10); writeContainerAllocateRequest(w, v); w.close(at); }
}
export function decodeAllocateRequest(bytes: Uint8Array): AllocateRequest {
  const r = new Reader(bytes);
  return readAllocateRequest(r, r.end);
}
export function encodeAllocateRequest(m: Init<AllocateRequest>): Uint8Array {
  const w = new Writer();
  writeAllocateRequest(w, m);
  return w.finish();
}

export interface ContainerAllocateRequest {
  devicesIds: string[];
}
function readContainerAllocateRequest(r: Reader, end: number): ContainerAllocateRequest {
  const m: ContainerAllocateRequest = { devicesIds: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.devicesIds.push(r.string()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerAllocateRequest(w: Writer, m: Init<ContainerAllocateRequest>): void {
  if (m.devicesIds !== undefined) for (const v of m.devicesIds) w.string(10, v);
}
export function decodeContainerAllocateRequest(bytes: Uint8Array): ContainerAllocateRequest {
  const r = new Reader(bytes);
  return readContainerAllocateRequest(r, r.end);
}
export function encodeContainerAllocateRequest(m: Init<ContainerAllocateRequest>): Uint8Array {
  const w = new Writer();
  writeContainerAllocateRequest(w, m);
  return w.finish();
}

export interface CDIDevice {
  name: string;
}
function readCDIDevice(r: Reader, end: number): CDIDevice {
  const m: CDIDevice = { name: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeCDIDevice(w: Writer, m: Init<CDIDevice>): void {
  if (m.name) w.string(10, m.name);
}
export function decodeCDIDevice(bytes: Uint8Array): CDIDevice {
  const r = new Reader(bytes);
  return readCDIDevice(r, r.end);
}
export function encodeCDIDevice(m: Init<CDIDevice>): Uint8Array {
  const w = new Writer();
  writeCDIDevice(w, m);
  return w.finish();
}

export interface AllocateResponse {
  containerResponses: ContainerAllocateResponse[];
}
function readAllocateResponse(r: Reader, end: number): AllocateResponse {
  const m: AllocateResponse = { containerResponses: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerResponses.push(readContainerAllocateResponse(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeAllocateResponse(w: Writer, m: Init<AllocateResponse>): void {
  if (m.containerResponses !== undefined) for (const v of m.containerResponses) { const at = w.open(10); writeContainerAllocateResponse(w, v); w.close(at); }
}
export function decodeAllocateResponse(bytes: Uint8Array): AllocateResponse {
  const r = new Reader(bytes);
  return readAllocateResponse(r, r.end);
}
export function encodeAllocateResponse(m: Init<AllocateResponse>): Uint8Array {
  const w = new Writer();
  writeAllocateResponse(w, m);
  return w.finish();
}

export interface ContainerAllocateResponse {
  envs: Record<string, string>;
  mounts: Mount[];
  devices: DeviceSpec[];
  annotations: Record<string, string>;
  cdiDevices: CDIDevice[];
}
function readContainerAllocateResponse(r: Reader, end: number): ContainerAllocateResponse {
  const m: ContainerAllocateResponse = { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: r.stringEntry(m.envs); break;
      case 18: m.mounts.push(readMount(r, r.length())); break;
      case 26: m.devices.push(readDeviceSpec(r, r.length())); break;
      case 34: r.stringEntry(m.annotations); break;
      case 42: m.cdiDevices.push(readCDIDevice(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerAllocateResponse(w: Writer, m: Init<ContainerAllocateResponse>): void {
  if (m.envs !== undefined) w.stringMap(10, m.envs);
  if (m.mounts !== undefined) for (const v of m.mounts) { const at = w.open(18); writeMount(w, v); w.close(at); }
  if (m.devices !== undefined) for (const v of m.devices) { const at = w.open(26); writeDeviceSpec(w, v); w.close(at); }
  if (m.annotations !== undefined) w.stringMap(34, m.annotations);
  if (m.cdiDevices !== undefined) for (const v of m.cdiDevices) { const at = w.open(42); writeCDIDevice(w, v); w.close(at); }
}
export function decodeContainerAllocateResponse(bytes: Uint8Array): ContainerAllocateResponse {
  const r = new Reader(bytes);
  return readContainerAllocateResponse(r, r.end);
}
export function encodeContainerAllocateResponse(m: Init<ContainerAllocateResponse>): Uint8Array {
  const w = new Writer();
  writeContainerAllocateResponse(w, m);
  return w.finish();
}

export interface Mount {
  containerPath: string;
  hostPath: string;
  readOnly: boolean;
}
function readMount(r: Reader, end: number): Mount {
  const m: Mount = { containerPath: '', hostPath: '', readOnly: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerPath = r.string(); break;
      case 18: m.hostPath = r.string(); break;
      case 24: m.readOnly = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeMount(w: Writer, m: Init<Mount>): void {
  if (m.containerPath) w.string(10, m.containerPath);
  if (m.hostPath) w.string(18, m.hostPath);
  if (m.readOnly) w.bool(24, m.readOnly);
}
export function decodeMount(bytes: Uint8Array): Mount {
  const r = new Reader(bytes);
  return readMount(r, r.end);
}
export function encodeMount(m: Init<Mount>): Uint8Array {
  const w = new Writer();
  writeMount(w, m);
  return w.finish();
}

export interface DeviceSpec {
  containerPath: string;
  hostPath: string;
  permissions: string;
}
function readDeviceSpec(r: Reader, end: number): DeviceSpec {
  const m: DeviceSpec = { containerPath: '', hostPath: '', permissions: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerPath = r.string(); break;
      case 18: m.hostPath = r.string(); break;
      case 26: m.permissions = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeDeviceSpec(w: Writer, m: Init<DeviceSpec>): void {
  if (m.containerPath) w.string(10, m.containerPath);
  if (m.hostPath) w.string(18, m.hostPath);
  if (m.permissions) w.string(26, m.permissions);
}
export function decodeDeviceSpec(bytes: Uint8Array): DeviceSpec {
  const r = new Reader(bytes);
  return readDeviceSpec(r, r.end);
}
export function encodeDeviceSpec(m: Init<DeviceSpec>): Uint8Array {
  const w = new Writer();
  writeDeviceSpec(w, m);
  return w.finish();
}

export const Registration = {
  Register: { service: 'Registration', name: 'Register', serverStreaming: false, encodeRequest: encodeRegisterRequest, decodeResponse: decodeEmpty } satisfies Method<RegisterRequest, Empty>,
} as const;

export const DevicePlugin = {
  GetDevicePluginOptions: { service: 'DevicePlugin', name: 'GetDevicePluginOptions', serverStreaming: false, encodeRequest: encodeEmpty, decodeResponse: decodeDevicePluginOptions } satisfies Method<Empty, DevicePluginOptions>,
  ListAndWatch: { service: 'DevicePlugin', name: 'ListAndWatch', serverStreaming: true, encodeRequest: encodeEmpty, decodeResponse: decodeListAndWatchResponse } satisfies Method<Empty, ListAndWatchResponse>,
  GetPreferredAllocation: { service: 'DevicePlugin', name: 'GetPreferredAllocation', serverStreaming: false, encodeRequest: encodePreferredAllocationRequest, decodeResponse: decodePreferredAllocationResponse } satisfies Method<PreferredAllocationRequest, PreferredAllocationResponse>,
  Allocate: { service: 'DevicePlugin', name: 'Allocate', serverStreaming: false, encodeRequest: encodeAllocateRequest, decodeResponse: decodeAllocateResponse } satisfies Method<AllocateRequest, AllocateResponse>,
  PreStartContainer: { service: 'DevicePlugin', name: 'PreStartContainer', serverStreaming: false, encodeRequest: encodePreStartContainerRequest, decodeResponse: decodePreStartContainerResponse } satisfies Method<PreStartContainerRequest, PreStartContainerResponse>,
} as const;
