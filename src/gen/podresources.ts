// Generated from proto/podresources.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'v1';

export interface AllocatableResourcesRequest {
}
function readAllocatableResourcesRequest(r: Reader, end: number): AllocatableResourcesRequest {
  const m: AllocatableResourcesRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeAllocatableResourcesRequest(_w: Writer, _m: Init<AllocatableResourcesRequest>): void {
}
export function decodeAllocatableResourcesRequest(bytes: Uint8Array): AllocatableResourcesRequest {
  const r = new Reader(bytes);
  return readAllocatableResourcesRequest(r, r.end);
}
export function encodeAllocatableResourcesRequest(m: Init<AllocatableResourcesRequest>): Uint8Array {
  const w = new Writer();
  writeAllocatableResourcesRequest(w, m);
  return w.finish();
}

export interface AllocatableResourcesResponse {
  devices: ContainerDevices[];
  cpuIds: number[];
  memory: ContainerMemory[];
}
function readAllocatableResourcesResponse(r: Reader, end: number): AllocatableResourcesResponse {
  const m: AllocatableResourcesResponse = { devices: [], cpuIds: [], memory: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.devices.push(readContainerDevices(r, r.length())); break;
      case 16: m.cpuIds.push(r.int64()); break;
      case 18: { const e = r.length(); while (r.pos < e) m.cpuIds.push(r.int64()); r.finish(e); break; }
      case 26: m.memory.push(readContainerMemory(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeAllocatableResourcesResponse(w: Writer, m: Init<AllocatableResourcesResponse>): void {
  if (m.devices !== undefined) for (const v of m.devices) { const at = w.open(10); writeContainerDevices(w, v); w.close(at); }
  if (m.cpuIds !== undefined) for (const v of m.cpuIds) w.int64(16, v);
  if (m.memory !== undefined) for (const v of m.memory) { const at = w.open(26); writeContainerMemory(w, v); w.close(at); }
}
export function decodeAllocatableResourcesResponse(bytes: Uint8Array): AllocatableResourcesResponse {
  const r = new Reader(bytes);
  return readAllocatableResourcesResponse(r, r.end);
}
export function encodeAllocatableResourcesResponse(m: Init<AllocatableResourcesResponse>): Uint8Array {
  const w = new Writer();
  writeAllocatableResourcesResponse(w, m);
  return w.finish();
}

export interface ListPodResourcesRequest {
}
function readListPodResourcesRequest(r: Reader, end: number): ListPodResourcesRequest {
  const m: ListPodResourcesRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeListPodResourcesRequest(_w: Writer, _m: Init<ListPodResourcesRequest>): void {
}
export function decodeListPodResourcesRequest(bytes: Uint8Array): ListPodResourcesRequest {
  const r = new Reader(bytes);
  return readListPodResourcesRequest(r, r.end);
}
export function encodeListPodResourcesRequest(m: Init<ListPodResourcesRequest>): Uint8Array {
  const w = new Writer();
  writeListPodResourcesRequest(w, m);
  return w.finish();
}

export interface ListPodResourcesResponse {
  podResources: PodResources[];
}
function readListPodResourcesResponse(r: Reader, end: number): ListPodResourcesResponse {
  const m: ListPodResourcesResponse = { podResources: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podResources.push(readPodResources(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListPodResourcesResponse(w: Writer, m: Init<ListPodResourcesResponse>): void {
  if (m.podResources !== undefined) for (const v of m.podResources) { const at = w.open(10); writePodResources(w, v); w.close(at); }
}
export function decodeListPodResourcesResponse(bytes: Uint8Array): ListPodResourcesResponse {
  const r = new Reader(bytes);
  return readListPodResourcesResponse(r, r.end);
}
export function encodeListPodResourcesResponse(m: Init<ListPodResourcesResponse>): Uint8Array {
  const w = new Writer();
  writeListPodResourcesResponse(w, m);
  return w.finish();
}

export interface PodResources {
  name: string;
  namespace: string;
  containers: ContainerResources[];
}
function readPodResources(r: Reader, end: number): PodResources {
  const m: PodResources = { name: '', namespace: '', containers: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 18: m.namespace = r.string(); break;
      case 26: m.containers.push(readContainerResources(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodResources(w: Writer, m: Init<PodResources>): void {
  if (m.name) w.string(10, m.name);
  if (m.namespace) w.string(18, m.namespace);
  if (m.containers !== undefined) for (const v of m.containers) { const at = w.open(26); writeContainerResources(w, v); w.close(at); }
}
export function decodePodResources(bytes: Uint8Array): PodResources {
  const r = new Reader(bytes);
  return readPodResources(r, r.end);
}
export function encodePodResources(m: Init<PodResources>): Uint8Array {
  const w = new Writer();
  writePodResources(w, m);
  return w.finish();
}

export interface ContainerResources {
  name: string;
  devices: ContainerDevices[];
  cpuIds: number[];
  memory: ContainerMemory[];
  dynamicResources: DynamicResource[];
}
function readContainerResources(r: Reader, end: number): ContainerResources {
  const m: ContainerResources = { name: '', devices: [], cpuIds: [], memory: [], dynamicResources: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 18: m.devices.push(readContainerDevices(r, r.length())); break;
      case 24: m.cpuIds.push(r.int64()); break;
      case 26: { const e = r.length(); while (r.pos < e) m.cpuIds.push(r.int64()); r.finish(e); break; }
      case 34: m.memory.push(readContainerMemory(r, r.length())); break;
      case 42: m.dynamicResources.push(readDynamicResource(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerResources(w: Writer, m: Init<ContainerResources>): void {
  if (m.name) w.string(10, m.name);
  if (m.devices !== undefined) for (const v of m.devices) { const at = w.open(18); writeContainerDevices(w, v); w.close(at); }
  if (m.cpuIds !== undefined) for (const v of m.cpuIds) w.int64(24, v);
  if (m.memory !== undefined) for (const v of m.memory) { const at = w.open(34); writeContainerMemory(w, v); w.close(at); }
  if (m.dynamicResources !== undefined) for (const v of m.dynamicResources) { const at = w.open(42); writeDynamicResource(w, v); w.close(at); }
}
export function decodeContainerResources(bytes: Uint8Array): ContainerResources {
  const r = new Reader(bytes);
  return readContainerResources(r, r.end);
}
export function encodeContainerResources(m: Init<ContainerResources>): Uint8Array {
  const w = new Writer();
  writeContainerResources(w, m);
  return w.finish();
}

export interface ContainerMemory {
  memoryType: string;
  size: number;
  topology: TopologyInfo | undefined;
}
function readContainerMemory(r: Reader, end: number): ContainerMemory {
  const m: ContainerMemory = { memoryType: '', size: 0, topology: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.memoryType = r.string(); break;
      case 16: m.size = r.uint64(); break;
      case 26: m.topology = readTopologyInfo(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerMemory(w: Writer, m: Init<ContainerMemory>): void {
  if (m.memoryType) w.string(10, m.memoryType);
  if (m.size) w.uint64(16, m.size);
  if (m.topology !== undefined) { const at = w.open(26); writeTopologyInfo(w, m.topology); w.close(at); }
}
export function decodeContainerMemory(bytes: Uint8Array): ContainerMemory {
  const r = new Reader(bytes);
  return readContainerMemory(r, r.end);
}
export function encodeContainerMemory(m: Init<ContainerMemory>): Uint8Array {
  const w = new Writer();
  writeContainerMemory(w, m);
  return w.finish();
}

export interface ContainerDevices {
  resourceName: string;
  deviceIds: string[];
  topology: TopologyInfo | undefined;
}
function readContainerDevices(r: Reader, end: number): ContainerDevices {
  const m: ContainerDevices = { resourceName: '', deviceIds: [], topology: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.resourceName = r.string(); break;
      case 18: m.deviceIds.push(r.string()); break;
      case 26: m.topology = readTopologyInfo(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerDevices(w: Writer, m: Init<ContainerDevices>): void {
  if (m.resourceName) w.string(10, m.resourceName);
  if (m.deviceIds !== undefined) for (const v of m.deviceIds) w.string(18, v);
  if (m.topology !== undefined) { const at = w.open(26); writeTopologyInfo(w, m.topology); w.close(at); }
}
export function decodeContainerDevices(bytes: Uint8Array): ContainerDevices {
  const r = new Reader(bytes);
  return readContainerDevices(r, r.end);
}
export function encodeContainerDevices(m: Init<ContainerDevices>): Uint8Array {
  const w = new Writer();
  writeContainerDevices(w, m);
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

export interface DynamicResource {
  claimName: string;
  claimNamespace: string;
  claimResources: ClaimResource[];
}
function readDynamicResource(r: Reader, end: number): DynamicResource {
  const m: DynamicResource = { claimName: '', claimNamespace: '', claimResources: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 18: m.claimName = r.string(); break;
      case 26: m.claimNamespace = r.string(); break;
      case 34: m.claimResources.push(readClaimResource(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeDynamicResource(w: Writer, m: Init<DynamicResource>): void {
  if (m.claimName) w.string(18, m.claimName);
  if (m.claimNamespace) w.string(26, m.claimNamespace);
  if (m.claimResources !== undefined) for (const v of m.claimResources) { const at = w.open(34); writeClaimResource(w, v); w.close(at); }
}
export function decodeDynamicResource(bytes: Uint8Array): DynamicResource {
  const r = new Reader(bytes);
  return readDynamicResource(r, r.end);
}
export function encodeDynamicResource(m: Init<DynamicResource>): Uint8Array {
  const w = new Writer();
  writeDynamicResource(w, m);
  return w.finish();
}

export interface ClaimResource {
  cdiDevices: CDIDevice[];
  driverName: string;
  poolName: string;
  deviceName: string;
  shareId: string | undefined;
}
function readClaimResource(r: Reader, end: number): ClaimResource {
  const m: ClaimResource = { cdiDevices: [], driverName: '', poolName: '', deviceName: '', shareId: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.cdiDevices.push(readCDIDevice(r, r.length())); break;
      case 18: m.driverName = r.string(); break;
      case 26: m.poolName = r.string(); break;
      case 34: m.deviceName = r.string(); break;
      case 42: m.shareId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeClaimResource(w: Writer, m: Init<ClaimResource>): void {
  if (m.cdiDevices !== undefined) for (const v of m.cdiDevices) { const at = w.open(10); writeCDIDevice(w, v); w.close(at); }
  if (m.driverName) w.string(18, m.driverName);
  if (m.poolName) w.string(26, m.poolName);
  if (m.deviceName) w.string(34, m.deviceName);
  if (m.shareId !== undefined) w.string(42, m.shareId);
}
export function decodeClaimResource(bytes: Uint8Array): ClaimResource {
  const r = new Reader(bytes);
  return readClaimResource(r, r.end);
}
export function encodeClaimResource(m: Init<ClaimResource>): Uint8Array {
  const w = new Writer();
  writeClaimResource(w, m);
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

export interface GetPodResourcesRequest {
  podName: string;
  podNamespace: string;
}
function readGetPodResourcesRequest(r: Reader, end: number): GetPodResourcesRequest {
  const m: GetPodResourcesRequest = { podName: '', podNamespace: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podName = r.string(); break;
      case 18: m.podNamespace = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeGetPodResourcesRequest(w: Writer, m: Init<GetPodResourcesRequest>): void {
  if (m.podName) w.string(10, m.podName);
  if (m.podNamespace) w.string(18, m.podNamespace);
}
export function decodeGetPodResourcesRequest(bytes: Uint8Array): GetPodResourcesRequest {
  const r = new Reader(bytes);
  return readGetPodResourcesRequest(r, r.end);
}
export function encodeGetPodResourcesRequest(m: Init<GetPodResourcesRequest>): Uint8Array {
  const w = new Writer();
  writeGetPodResourcesRequest(w, m);
  return w.finish();
}

export interface GetPodResourcesResponse {
  podResources: PodResources | undefined;
}
function readGetPodResourcesResponse(r: Reader, end: number): GetPodResourcesResponse {
  const m: GetPodResourcesResponse = { podResources: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podResources = readPodResources(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeGetPodResourcesResponse(w: Writer, m: Init<GetPodResourcesResponse>): void {
  if (m.podResources !== undefined) { const at = w.open(10); writePodResources(w, m.podResources); w.close(at); }
}
export function decodeGetPodResourcesResponse(bytes: Uint8Array): GetPodResourcesResponse {
  const r = new Reader(bytes);
  return readGetPodResourcesResponse(r, r.end);
}
export function encodeGetPodResourcesResponse(m: Init<GetPodResourcesResponse>): Uint8Array {
  const w = new Writer();
  writeGetPodResourcesResponse(w, m);
  return w.finish();
}

export const PodResourcesLister = {
  List: { service: 'PodResourcesLister', name: 'List', serverStreaming: false, encodeRequest: encodeListPodResourcesRequest, decodeResponse: decodeListPodResourcesResponse } satisfies Method<ListPodResourcesRequest, ListPodResourcesResponse>,
  GetAllocatableResources: { service: 'PodResourcesLister', name: 'GetAllocatableResources', serverStreaming: false, encodeRequest: encodeAllocatableResourcesRequest, decodeResponse: decodeAllocatableResourcesResponse } satisfies Method<AllocatableResourcesRequest, AllocatableResourcesResponse>,
  Get: { service: 'PodResourcesLister', name: 'Get', serverStreaming: false, encodeRequest: encodeGetPodResourcesRequest, decodeResponse: decodeGetPodResourcesResponse } satisfies Method<GetPodResourcesRequest, GetPodResourcesResponse>,
} as const;
