// Generated from proto/cri.proto by scripts/generate-proto.ts. Do not edit.
import { type Init, type Method, Reader, Writer } from './wire.ts';

export const PACKAGE = 'runtime.v1';

export const Protocol = {
  TCP: 0,
  UDP: 1,
  SCTP: 2,
} as const;
export type Protocol = number;

export const MountPropagation = {
  PROPAGATION_PRIVATE: 0,
  PROPAGATION_HOST_TO_CONTAINER: 1,
  PROPAGATION_BIDIRECTIONAL: 2,
} as const;
export type MountPropagation = number;

export const NamespaceMode = {
  POD: 0,
  CONTAINER: 1,
  NODE: 2,
  TARGET: 3,
} as const;
export type NamespaceMode = number;

export const SupplementalGroupsPolicy = {
  Merge: 0,
  Strict: 1,
} as const;
export type SupplementalGroupsPolicy = number;

export const PodSandboxState = {
  SANDBOX_READY: 0,
  SANDBOX_NOTREADY: 1,
} as const;
export type PodSandboxState = number;

export const Signal = {
  RUNTIME_DEFAULT: 0,
  SIGABRT: 1,
  SIGALRM: 2,
  SIGBUS: 3,
  SIGCHLD: 4,
  SIGCLD: 5,
  SIGCONT: 6,
  SIGFPE: 7,
  SIGHUP: 8,
  SIGILL: 9,
  SIGINT: 10,
  SIGIO: 11,
  SIGIOT: 12,
  SIGKILL: 13,
  SIGPIPE: 14,
  SIGPOLL: 15,
  SIGPROF: 16,
  SIGPWR: 17,
  SIGQUIT: 18,
  SIGSEGV: 19,
  SIGSTKFLT: 20,
  SIGSTOP: 21,
  SIGSYS: 22,
  SIGTERM: 23,
  SIGTRAP: 24,
  SIGTSTP: 25,
  SIGTTIN: 26,
  SIGTTOU: 27,
  SIGURG: 28,
  SIGUSR1: 29,
  SIGUSR2: 30,
  SIGVTALRM: 31,
  SIGWINCH: 32,
  SIGXCPU: 33,
  SIGXFSZ: 34,
  SIGRTMIN: 35,
  SIGRTMINPLUS1: 36,
  SIGRTMINPLUS2: 37,
  SIGRTMINPLUS3: 38,
  SIGRTMINPLUS4: 39,
  SIGRTMINPLUS5: 40,
  SIGRTMINPLUS6: 41,
  SIGRTMINPLUS7: 42,
  SIGRTMINPLUS8: 43,
  SIGRTMINPLUS9: 44,
  SIGRTMINPLUS10: 45,
  SIGRTMINPLUS11: 46,
  SIGRTMINPLUS12: 47,
  SIGRTMINPLUS13: 48,
  SIGRTMINPLUS14: 49,
  SIGRTMINPLUS15: 50,
  SIGRTMAXMINUS14: 51,
  SIGRTMAXMINUS13: 52,
  SIGRTMAXMINUS12: 53,
  SIGRTMAXMINUS11: 54,
  SIGRTMAXMINUS10: 55,
  SIGRTMAXMINUS9: 56,
  SIGRTMAXMINUS8: 57,
  SIGRTMAXMINUS7: 58,
  SIGRTMAXMINUS6: 59,
  SIGRTMAXMINUS5: 60,
  SIGRTMAXMINUS4: 61,
  SIGRTMAXMINUS3: 62,
  SIGRTMAXMINUS2: 63,
  SIGRTMAXMINUS1: 64,
  SIGRTMAX: 65,
} as const;
export type Signal = number;

export const ContainerState = {
  CONTAINER_CREATED: 0,
  CONTAINER_RUNNING: 1,
  CONTAINER_EXITED: 2,
  CONTAINER_UNKNOWN: 3,
} as const;
export type ContainerState = number;

export const ContainerEventType = {
  CONTAINER_CREATED_EVENT: 0,
  CONTAINER_STARTED_EVENT: 1,
  CONTAINER_STOPPED_EVENT: 2,
  CONTAINER_DELETED_EVENT: 3,
} as const;
export type ContainerEventType = number;

export const MetricType = {
  COUNTER: 0,
  GAUGE: 1,
} as const;
export type MetricType = number;

export const CgroupDriver = {
  SYSTEMD: 0,
  CGROUPFS: 1,
} as const;
export type CgroupDriver = number;

export const SecurityProfile_ProfileType = {
  RuntimeDefault: 0,
  Unconfined: 1,
  Localhost: 2,
} as const;
export type SecurityProfile_ProfileType = number;

export interface VersionRequest {
  version: string;
}
function readVersionRequest(r: Reader, end: number): VersionRequest {
  const m: VersionRequest = { version: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.version = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeVersionRequest(w: Writer, m: Init<VersionRequest>): void {
  if (m.version) w.string(10, m.version);
}
export function decodeVersionRequest(bytes: Uint8Array): VersionRequest {
  const r = new Reader(bytes);
  return readVersionRequest(r, r.end);
}
export function encodeVersionRequest(m: Init<VersionRequest>): Uint8Array {
  const w = new Writer();
  writeVersionRequest(w, m);
  return w.finish();
}

export interface VersionResponse {
  version: string;
  runtimeName: string;
  runtimeVersion: string;
  runtimeApiVersion: string;
}
function readVersionResponse(r: Reader, end: number): VersionResponse {
  const m: VersionResponse = { version: '', runtimeName: '', runtimeVersion: '', runtimeApiVersion: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.version = r.string(); break;
      case 18: m.runtimeName = r.string(); break;
      case 26: m.runtimeVersion = r.string(); break;
      case 34: m.runtimeApiVersion = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeVersionResponse(w: Writer, m: Init<VersionResponse>): void {
  if (m.version) w.string(10, m.version);
  if (m.runtimeName) w.string(18, m.runtimeName);
  if (m.runtimeVersion) w.string(26, m.runtimeVersion);
  if (m.runtimeApiVersion) w.string(34, m.runtimeApiVersion);
}
export function decodeVersionResponse(bytes: Uint8Array): VersionResponse {
  const r = new Reader(bytes);
  return readVersionResponse(r, r.end);
}
export function encodeVersionResponse(m: Init<VersionResponse>): Uint8Array {
  const w = new Writer();
  writeVersionResponse(w, m);
  return w.finish();
}

export interface StatusRequest {
  verbose: boolean;
}
function readStatusRequest(r: Reader, end: number): StatusRequest {
  const m: StatusRequest = { verbose: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.verbose = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStatusRequest(w: Writer, m: Init<StatusRequest>): void {
  if (m.verbose) w.bool(8, m.verbose);
}
export function decodeStatusRequest(bytes: Uint8Array): StatusRequest {
  const r = new Reader(bytes);
  return readStatusRequest(r, r.end);
}
export function encodeStatusRequest(m: Init<StatusRequest>): Uint8Array {
  const w = new Writer();
  writeStatusRequest(w, m);
  return w.finish();
}

export interface StatusResponse {
  status: RuntimeStatus | undefined;
  info: Record<string, string>;
  runtimeHandlers: RuntimeHandler[];
  features: RuntimeFeatures | undefined;
}
function readStatusResponse(r: Reader, end: number): StatusResponse {
  const m: StatusResponse = { status: undefined, info: {}, runtimeHandlers: [], features: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.status = readRuntimeStatus(r, r.length()); break;
      case 18: r.stringEntry(m.info); break;
      case 26: m.runtimeHandlers.push(readRuntimeHandler(r, r.length())); break;
      case 34: m.features = readRuntimeFeatures(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStatusResponse(w: Writer, m: Init<StatusResponse>): void {
  if (m.status !== undefined) { const at = w.open(10); writeRuntimeStatus(w, m.status); w.close(at); }
  if (m.info !== undefined) w.stringMap(18, m.info);
  if (m.runtimeHandlers !== undefined) for (const v of m.runtimeHandlers) { const at = w.open(26); writeRuntimeHandler(w, v); w.close(at); }
  if (m.features !== undefined) { const at = w.open(34); writeRuntimeFeatures(w, m.features); w.close(at); }
}
export function decodeStatusResponse(bytes: Uint8Array): StatusResponse {
  const r = new Reader(bytes);
  return readStatusResponse(r, r.end);
}
export function encodeStatusResponse(m: Init<StatusResponse>): Uint8Array {
  const w = new Writer();
  writeStatusResponse(w, m);
  return w.finish();
}

export interface RuntimeStatus {
  conditions: RuntimeCondition[];
}
function readRuntimeStatus(r: Reader, end: number): RuntimeStatus {
  const m: RuntimeStatus = { conditions: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.conditions.push(readRuntimeCondition(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRuntimeStatus(w: Writer, m: Init<RuntimeStatus>): void {
  if (m.conditions !== undefined) for (const v of m.conditions) { const at = w.open(10); writeRuntimeCondition(w, v); w.close(at); }
}
export function decodeRuntimeStatus(bytes: Uint8Array): RuntimeStatus {
  const r = new Reader(bytes);
  return readRuntimeStatus(r, r.end);
}
export function encodeRuntimeStatus(m: Init<RuntimeStatus>): Uint8Array {
  const w = new Writer();
  writeRuntimeStatus(w, m);
  return w.finish();
}

export interface RuntimeCondition {
  type: string;
  status: boolean;
  reason: string;
  message: string;
}
function readRuntimeCondition(r: Reader, end: number): RuntimeCondition {
  const m: RuntimeCondition = { type: '', status: false, reason: '', message: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.type = r.string(); break;
      case 16: m.status = r.bool(); break;
      case 26: m.reason = r.string(); break;
      case 34: m.message = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRuntimeCondition(w: Writer, m: Init<RuntimeCondition>): void {
  if (m.type) w.string(10, m.type);
  if (m.status) w.bool(16, m.status);
  if (m.reason) w.string(26, m.reason);
  if (m.message) w.string(34, m.message);
}
export function decodeRuntimeCondition(bytes: Uint8Array): RuntimeCondition {
  const r = new Reader(bytes);
  return readRuntimeCondition(r, r.end);
}
export function encodeRuntimeCondition(m: Init<RuntimeCondition>): Uint8Array {
  const w = new Writer();
  writeRuntimeCondition(w, m);
  return w.finish();
}

export interface RuntimeHandler {
  name: string;
  features: RuntimeHandlerFeatures | undefined;
}
function readRuntimeHandler(r: Reader, end: number): RuntimeHandler {
  const m: RuntimeHandler = { name: '', features: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 18: m.features = readRuntimeHandlerFeatures(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRuntimeHandler(w: Writer, m: Init<RuntimeHandler>): void {
  if (m.name) w.string(10, m.name);
  if (m.features !== undefined) { const at = w.open(18); writeRuntimeHandlerFeatures(w, m.features); w.close(at); }
}
export function decodeRuntimeHandler(bytes: Uint8Array): RuntimeHandler {
  const r = new Reader(bytes);
  return readRuntimeHandler(r, r.end);
}
export function encodeRuntimeHandler(m: Init<RuntimeHandler>): Uint8Array {
  const w = new Writer();
  writeRuntimeHandler(w, m);
  return w.finish();
}

export interface RuntimeHandlerFeatures {
  recursiveReadOnlyMounts: boolean;
  userNamespaces: boolean;
}
function readRuntimeHandlerFeatures(r: Reader, end: number): RuntimeHandlerFeatures {
  const m: RuntimeHandlerFeatures = { recursiveReadOnlyMounts: false, userNamespaces: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.recursiveReadOnlyMounts = r.bool(); break;
      case 16: m.userNamespaces = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRuntimeHandlerFeatures(w: Writer, m: Init<RuntimeHandlerFeatures>): void {
  if (m.recursiveReadOnlyMounts) w.bool(8, m.recursiveReadOnlyMounts);
  if (m.userNamespaces) w.bool(16, m.userNamespaces);
}
export function decodeRuntimeHandlerFeatures(bytes: Uint8Array): RuntimeHandlerFeatures {
  const r = new Reader(bytes);
  return readRuntimeHandlerFeatures(r, r.end);
}
export function encodeRuntimeHandlerFeatures(m: Init<RuntimeHandlerFeatures>): Uint8Array {
  const w = new Writer();
  writeRuntimeHandlerFeatures(w, m);
  return w.finish();
}

export interface RuntimeFeatures {
  supplementalGroupsPolicy: boolean;
  userNamespacesHostNetwork: boolean;
}
function readRuntimeFeatures(r: Reader, end: number): RuntimeFeatures {
  const m: RuntimeFeatures = { supplementalGroupsPolicy: false, userNamespacesHostNetwork: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.supplementalGroupsPolicy = r.bool(); break;
      case 16: m.userNamespacesHostNetwork = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRuntimeFeatures(w: Writer, m: Init<RuntimeFeatures>): void {
  if (m.supplementalGroupsPolicy) w.bool(8, m.supplementalGroupsPolicy);
  if (m.userNamespacesHostNetwork) w.bool(16, m.userNamespacesHostNetwork);
}
export function decodeRuntimeFeatures(bytes: Uint8Array): RuntimeFeatures {
  const r = new Reader(bytes);
  return readRuntimeFeatures(r, r.end);
}
export function encodeRuntimeFeatures(m: Init<RuntimeFeatures>): Uint8Array {
  const w = new Writer();
  writeRuntimeFeatures(w, m);
  return w.finish();
}

export interface RuntimeConfigRequest {
}
function readRuntimeConfigRequest(r: Reader, end: number): RuntimeConfigRequest {
  const m: RuntimeConfigRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeRuntimeConfigRequest(_w: Writer, _m: Init<RuntimeConfigRequest>): void {
}
export function decodeRuntimeConfigRequest(bytes: Uint8Array): RuntimeConfigRequest {
  const r = new Reader(bytes);
  return readRuntimeConfigRequest(r, r.end);
}
export function encodeRuntimeConfigRequest(m: Init<RuntimeConfigRequest>): Uint8Array {
  const w = new Writer();
  writeRuntimeConfigRequest(w, m);
  return w.finish();
}

export interface RuntimeConfigResponse {
  linux: LinuxRuntimeConfiguration | undefined;
}
function readRuntimeConfigResponse(r: Reader, end: number): RuntimeConfigResponse {
  const m: RuntimeConfigResponse = { linux: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.linux = readLinuxRuntimeConfiguration(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRuntimeConfigResponse(w: Writer, m: Init<RuntimeConfigResponse>): void {
  if (m.linux !== undefined) { const at = w.open(10); writeLinuxRuntimeConfiguration(w, m.linux); w.close(at); }
}
export function decodeRuntimeConfigResponse(bytes: Uint8Array): RuntimeConfigResponse {
  const r = new Reader(bytes);
  return readRuntimeConfigResponse(r, r.end);
}
export function encodeRuntimeConfigResponse(m: Init<RuntimeConfigResponse>): Uint8Array {
  const w = new Writer();
  writeRuntimeConfigResponse(w, m);
  return w.finish();
}

export interface LinuxRuntimeConfiguration {
  cgroupDriver: CgroupDriver;
}
function readLinuxRuntimeConfiguration(r: Reader, end: number): LinuxRuntimeConfiguration {
  const m: LinuxRuntimeConfiguration = { cgroupDriver: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.cgroupDriver = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxRuntimeConfiguration(w: Writer, m: Init<LinuxRuntimeConfiguration>): void {
  if (m.cgroupDriver) w.int32(8, m.cgroupDriver);
}
export function decodeLinuxRuntimeConfiguration(bytes: Uint8Array): LinuxRuntimeConfiguration {
  const r = new Reader(bytes);
  return readLinuxRuntimeConfiguration(r, r.end);
}
export function encodeLinuxRuntimeConfiguration(m: Init<LinuxRuntimeConfiguration>): Uint8Array {
  const w = new Writer();
  writeLinuxRuntimeConfiguration(w, m);
  return w.finish();
}

export interface UpdateRuntimeConfigRequest {
  runtimeConfig: RuntimeConfig | undefined;
}
function readUpdateRuntimeConfigRequest(r: Reader, end: number): UpdateRuntimeConfigRequest {
  const m: UpdateRuntimeConfigRequest = { runtimeConfig: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.runtimeConfig = readRuntimeConfig(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeUpdateRuntimeConfigRequest(w: Writer, m: Init<UpdateRuntimeConfigRequest>): void {
  if (m.runtimeConfig !== undefined) { const at = w.open(10); writeRuntimeConfig(w, m.runtimeConfig); w.close(at); }
}
export function decodeUpdateRuntimeConfigRequest(bytes: Uint8Array): UpdateRuntimeConfigRequest {
  const r = new Reader(bytes);
  return readUpdateRuntimeConfigRequest(r, r.end);
}
export function encodeUpdateRuntimeConfigRequest(m: Init<UpdateRuntimeConfigRequest>): Uint8Array {
  const w = new Writer();
  writeUpdateRuntimeConfigRequest(w, m);
  return w.finish();
}

export interface UpdateRuntimeConfigResponse {
}
function readUpdateRuntimeConfigResponse(r: Reader, end: number): UpdateRuntimeConfigResponse {
  const m: UpdateRuntimeConfigResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeUpdateRuntimeConfigResponse(_w: Writer, _m: Init<UpdateRuntimeConfigResponse>): void {
}
export function decodeUpdateRuntimeConfigResponse(bytes: Uint8Array): UpdateRuntimeConfigResponse {
  const r = new Reader(bytes);
  return readUpdateRuntimeConfigResponse(r, r.end);
}
export function encodeUpdateRuntimeConfigResponse(m: Init<UpdateRuntimeConfigResponse>): Uint8Array {
  const w = new Writer();
  writeUpdateRuntimeConfigResponse(w, m);
  return w.finish();
}

export interface RuntimeConfig {
  networkConfig: NetworkConfig | undefined;
}
function readRuntimeConfig(r: Reader, end: number): RuntimeConfig {
  const m: RuntimeConfig = { networkConfig: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.networkConfig = readNetworkConfig(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRuntimeConfig(w: Writer, m: Init<RuntimeConfig>): void {
  if (m.networkConfig !== undefined) { const at = w.open(10); writeNetworkConfig(w, m.networkConfig); w.close(at); }
}
export function decodeRuntimeConfig(bytes: Uint8Array): RuntimeConfig {
  const r = new Reader(bytes);
  return readRuntimeConfig(r, r.end);
}
export function encodeRuntimeConfig(m: Init<RuntimeConfig>): Uint8Array {
  const w = new Writer();
  writeRuntimeConfig(w, m);
  return w.finish();
}

export interface NetworkConfig {
  podCidr: string;
}
function readNetworkConfig(r: Reader, end: number): NetworkConfig {
  const m: NetworkConfig = { podCidr: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podCidr = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNetworkConfig(w: Writer, m: Init<NetworkConfig>): void {
  if (m.podCidr) w.string(10, m.podCidr);
}
export function decodeNetworkConfig(bytes: Uint8Array): NetworkConfig {
  const r = new Reader(bytes);
  return readNetworkConfig(r, r.end);
}
export function encodeNetworkConfig(m: Init<NetworkConfig>): Uint8Array {
  const w = new Writer();
  writeNetworkConfig(w, m);
  return w.finish();
}

export interface Int64Value {
  value: number;
}
function readInt64Value(r: Reader, end: number): Int64Value {
  const m: Int64Value = { value: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.value = r.int64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeInt64Value(w: Writer, m: Init<Int64Value>): void {
  if (m.value) w.int64(8, m.value);
}
export function decodeInt64Value(bytes: Uint8Array): Int64Value {
  const r = new Reader(bytes);
  return readInt64Value(r, r.end);
}
export function encodeInt64Value(m: Init<Int64Value>): Uint8Array {
  const w = new Writer();
  writeInt64Value(w, m);
  return w.finish();
}

export interface UInt64Value {
  value: number;
}
function readUInt64Value(r: Reader, end: number): UInt64Value {
  const m: UInt64Value = { value: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.value = r.uint64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeUInt64Value(w: Writer, m: Init<UInt64Value>): void {
  if (m.value) w.uint64(8, m.value);
}
export function decodeUInt64Value(bytes: Uint8Array): UInt64Value {
  const r = new Reader(bytes);
  return readUInt64Value(r, r.end);
}
export function encodeUInt64Value(m: Init<UInt64Value>): Uint8Array {
  const w = new Writer();
  writeUInt64Value(w, m);
  return w.finish();
}

export interface KeyValue {
  key: string;
  value: Uint8Array;
}
function readKeyValue(r: Reader, end: number): KeyValue {
  const m: KeyValue = { key: '', value: new Uint8Array(0) };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.key = r.string(); break;
      case 18: m.value = r.bytes(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeKeyValue(w: Writer, m: Init<KeyValue>): void {
  if (m.key) w.string(10, m.key);
  if (m.value?.byteLength) w.bytes(18, m.value);
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

export interface IDMapping {
  hostId: number;
  containerId: number;
  length: number;
}
function readIDMapping(r: Reader, end: number): IDMapping {
  const m: IDMapping = { hostId: 0, containerId: 0, length: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.hostId = r.uint32(); break;
      case 16: m.containerId = r.uint32(); break;
      case 24: m.length = r.uint32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeIDMapping(w: Writer, m: Init<IDMapping>): void {
  if (m.hostId) w.uint32(8, m.hostId);
  if (m.containerId) w.uint32(16, m.containerId);
  if (m.length) w.uint32(24, m.length);
}
export function decodeIDMapping(bytes: Uint8Array): IDMapping {
  const r = new Reader(bytes);
  return readIDMapping(r, r.end);
}
export function encodeIDMapping(m: Init<IDMapping>): Uint8Array {
  const w = new Writer();
  writeIDMapping(w, m);
  return w.finish();
}

export interface DNSConfig {
  servers: string[];
  searches: string[];
  options: string[];
}
function readDNSConfig(r: Reader, end: number): DNSConfig {
  const m: DNSConfig = { servers: [], searches: [], options: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.servers.push(r.string()); break;
      case 18: m.searches.push(r.string()); break;
      case 26: m.options.push(r.string()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeDNSConfig(w: Writer, m: Init<DNSConfig>): void {
  if (m.servers !== undefined) for (const v of m.servers) w.string(10, v);
  if (m.searches !== undefined) for (const v of m.searches) w.string(18, v);
  if (m.options !== undefined) for (const v of m.options) w.string(26, v);
}
export function decodeDNSConfig(bytes: Uint8Array): DNSConfig {
  const r = new Reader(bytes);
  return readDNSConfig(r, r.end);
}
export function encodeDNSConfig(m: Init<DNSConfig>): Uint8Array {
  const w = new Writer();
  writeDNSConfig(w, m);
  return w.finish();
}

export interface PortMapping {
  protocol: Protocol;
  containerPort: number;
  hostPort: number;
  hostIp: string;
}
function readPortMapping(r: Reader, end: number): PortMapping {
  const m: PortMapping = { protocol: 0, containerPort: 0, hostPort: 0, hostIp: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.protocol = r.int32(); break;
      case 16: m.containerPort = r.int32(); break;
      case 24: m.hostPort = r.int32(); break;
      case 34: m.hostIp = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePortMapping(w: Writer, m: Init<PortMapping>): void {
  if (m.protocol) w.int32(8, m.protocol);
  if (m.containerPort) w.int32(16, m.containerPort);
  if (m.hostPort) w.int32(24, m.hostPort);
  if (m.hostIp) w.string(34, m.hostIp);
}
export function decodePortMapping(bytes: Uint8Array): PortMapping {
  const r = new Reader(bytes);
  return readPortMapping(r, r.end);
}
export function encodePortMapping(m: Init<PortMapping>): Uint8Array {
  const w = new Writer();
  writePortMapping(w, m);
  return w.finish();
}

export interface HugepageLimit {
  pageSize: string;
  limit: number;
}
function readHugepageLimit(r: Reader, end: number): HugepageLimit {
  const m: HugepageLimit = { pageSize: '', limit: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.pageSize = r.string(); break;
      case 16: m.limit = r.uint64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeHugepageLimit(w: Writer, m: Init<HugepageLimit>): void {
  if (m.pageSize) w.string(10, m.pageSize);
  if (m.limit) w.uint64(16, m.limit);
}
export function decodeHugepageLimit(bytes: Uint8Array): HugepageLimit {
  const r = new Reader(bytes);
  return readHugepageLimit(r, r.end);
}
export function encodeHugepageLimit(m: Init<HugepageLimit>): Uint8Array {
  const w = new Writer();
  writeHugepageLimit(w, m);
  return w.finish();
}

export interface SELinuxOption {
  user: string;
  role: string;
  type: string;
  level: string;
}
function readSELinuxOption(r: Reader, end: number): SELinuxOption {
  const m: SELinuxOption = { user: '', role: '', type: '', level: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.user = r.string(); break;
      case 18: m.role = r.string(); break;
      case 26: m.type = r.string(); break;
      case 34: m.level = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeSELinuxOption(w: Writer, m: Init<SELinuxOption>): void {
  if (m.user) w.string(10, m.user);
  if (m.role) w.string(18, m.role);
  if (m.type) w.string(26, m.type);
  if (m.level) w.string(34, m.level);
}
export function decodeSELinuxOption(bytes: Uint8Array): SELinuxOption {
  const r = new Reader(bytes);
  return readSELinuxOption(r, r.end);
}
export function encodeSELinuxOption(m: Init<SELinuxOption>): Uint8Array {
  const w = new Writer();
  writeSELinuxOption(w, m);
  return w.finish();
}

export interface SecurityProfile {
  profileType: SecurityProfile_ProfileType;
  localhostRef: string;
}
function readSecurityProfile(r: Reader, end: number): SecurityProfile {
  const m: SecurityProfile = { profileType: 0, localhostRef: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.profileType = r.int32(); break;
      case 18: m.localhostRef = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeSecurityProfile(w: Writer, m: Init<SecurityProfile>): void {
  if (m.profileType) w.int32(8, m.profileType);
  if (m.localhostRef) w.string(18, m.localhostRef);
}
export function decodeSecurityProfile(bytes: Uint8Array): SecurityProfile {
  const r = new Reader(bytes);
  return readSecurityProfile(r, r.end);
}
export function encodeSecurityProfile(m: Init<SecurityProfile>): Uint8Array {
  const w = new Writer();
  writeSecurityProfile(w, m);
  return w.finish();
}

export interface Capability {
  addCapabilities: string[];
  dropCapabilities: string[];
  addAmbientCapabilities: string[];
}
function readCapability(r: Reader, end: number): Capability {
  const m: Capability = { addCapabilities: [], dropCapabilities: [], addAmbientCapabilities: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.addCapabilities.push(r.string()); break;
      case 18: m.dropCapabilities.push(r.string()); break;
      case 26: m.addAmbientCapabilities.push(r.string()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeCapability(w: Writer, m: Init<Capability>): void {
  if (m.addCapabilities !== undefined) for (const v of m.addCapabilities) w.string(10, v);
  if (m.dropCapabilities !== undefined) for (const v of m.dropCapabilities) w.string(18, v);
  if (m.addAmbientCapabilities !== undefined) for (const v of m.addAmbientCapabilities) w.string(26, v);
}
export function decodeCapability(bytes: Uint8Array): Capability {
  const r = new Reader(bytes);
  return readCapability(r, r.end);
}
export function encodeCapability(m: Init<Capability>): Uint8Array {
  const w = new Writer();
  writeCapability(w, m);
  return w.finish();
}

export interface PodIP {
  ip: string;
}
function readPodIP(r: Reader, end: number): PodIP {
  const m: PodIP = { ip: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.ip = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodIP(w: Writer, m: Init<PodIP>): void {
  if (m.ip) w.string(10, m.ip);
}
export function decodePodIP(bytes: Uint8Array): PodIP {
  const r = new Reader(bytes);
  return readPodIP(r, r.end);
}
export function encodePodIP(m: Init<PodIP>): Uint8Array {
  const w = new Writer();
  writePodIP(w, m);
  return w.finish();
}

export interface NamespaceOption {
  network: NamespaceMode;
  pid: NamespaceMode;
  ipc: NamespaceMode;
  targetId: string;
  usernsOptions: UserNamespace | undefined;
}
function readNamespaceOption(r: Reader, end: number): NamespaceOption {
  const m: NamespaceOption = { network: 0, pid: 0, ipc: 0, targetId: '', usernsOptions: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.network = r.int32(); break;
      case 16: m.pid = r.int32(); break;
      case 24: m.ipc = r.int32(); break;
      case 34: m.targetId = r.string(); break;
      case 42: m.usernsOptions = readUserNamespace(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNamespaceOption(w: Writer, m: Init<NamespaceOption>): void {
  if (m.network) w.int32(8, m.network);
  if (m.pid) w.int32(16, m.pid);
  if (m.ipc) w.int32(24, m.ipc);
  if (m.targetId) w.string(34, m.targetId);
  if (m.usernsOptions !== undefined) { const at = w.open(42); writeUserNamespace(w, m.usernsOptions); w.close(at); }
}
export function decodeNamespaceOption(bytes: Uint8Array): NamespaceOption {
  const r = new Reader(bytes);
  return readNamespaceOption(r, r.end);
}
export function encodeNamespaceOption(m: Init<NamespaceOption>): Uint8Array {
  const w = new Writer();
  writeNamespaceOption(w, m);
  return w.finish();
}

export interface UserNamespace {
  mode: NamespaceMode;
  uids: IDMapping[];
  gids: IDMapping[];
}
function readUserNamespace(r: Reader, end: number): UserNamespace {
  const m: UserNamespace = { mode: 0, uids: [], gids: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.mode = r.int32(); break;
      case 18: m.uids.push(readIDMapping(r, r.length())); break;
      case 26: m.gids.push(readIDMapping(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeUserNamespace(w: Writer, m: Init<UserNamespace>): void {
  if (m.mode) w.int32(8, m.mode);
  if (m.uids !== undefined) for (const v of m.uids) { const at = w.open(18); writeIDMapping(w, v); w.close(at); }
  if (m.gids !== undefined) for (const v of m.gids) { const at = w.open(26); writeIDMapping(w, v); w.close(at); }
}
export function decodeUserNamespace(bytes: Uint8Array): UserNamespace {
  const r = new Reader(bytes);
  return readUserNamespace(r, r.end);
}
export function encodeUserNamespace(m: Init<UserNamespace>): Uint8Array {
  const w = new Writer();
  writeUserNamespace(w, m);
  return w.finish();
}

export interface Namespace {
  options: NamespaceOption | undefined;
}
function readNamespace(r: Reader, end: number): Namespace {
  const m: Namespace = { options: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 18: m.options = readNamespaceOption(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNamespace(w: Writer, m: Init<Namespace>): void {
  if (m.options !== undefined) { const at = w.open(18); writeNamespaceOption(w, m.options); w.close(at); }
}
export function decodeNamespace(bytes: Uint8Array): Namespace {
  const r = new Reader(bytes);
  return readNamespace(r, r.end);
}
export function encodeNamespace(m: Init<Namespace>): Uint8Array {
  const w = new Writer();
  writeNamespace(w, m);
  return w.finish();
}

export interface LinuxSandboxSecurityContext {
  namespaceOptions: NamespaceOption | undefined;
  selinuxOptions: SELinuxOption | undefined;
  runAsUser: Int64Value | undefined;
  runAsGroup: Int64Value | undefined;
  readonlyRootfs: boolean;
  supplementalGroups: number[];
  supplementalGroupsPolicy: SupplementalGroupsPolicy;
  privileged: boolean;
  seccomp: SecurityProfile | undefined;
  apparmor: SecurityProfile | undefined;
  seccompProfilePath: string;
}
function readLinuxSandboxSecurityContext(r: Reader, end: number): LinuxSandboxSecurityContext {
  const m: LinuxSandboxSecurityContext = { namespaceOptions: undefined, selinuxOptions: undefined, runAsUser: undefined, runAsGroup: undefined, readonlyRootfs: false, supplementalGroups: [], supplementalGroupsPolicy: 0, privileged: false, seccomp: undefined, apparmor: undefined, seccompProfilePath: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.namespaceOptions = readNamespaceOption(r, r.length()); break;
      case 18: m.selinuxOptions = readSELinuxOption(r, r.length()); break;
      case 26: m.runAsUser = readInt64Value(r, r.length()); break;
      case 66: m.runAsGroup = readInt64Value(r, r.length()); break;
      case 32: m.readonlyRootfs = r.bool(); break;
      case 40: m.supplementalGroups.push(r.int64()); break;
      case 42: { const e = r.length(); while (r.pos < e) m.supplementalGroups.push(r.int64()); r.finish(e); break; }
      case 88: m.supplementalGroupsPolicy = r.int32(); break;
      case 48: m.privileged = r.bool(); break;
      case 74: m.seccomp = readSecurityProfile(r, r.length()); break;
      case 82: m.apparmor = readSecurityProfile(r, r.length()); break;
      case 58: m.seccompProfilePath = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxSandboxSecurityContext(w: Writer, m: Init<LinuxSandboxSecurityContext>): void {
  if (m.namespaceOptions !== undefined) { const at = w.open(10); writeNamespaceOption(w, m.namespaceOptions); w.close(at); }
  if (m.selinuxOptions !== undefined) { const at = w.open(18); writeSELinuxOption(w, m.selinuxOptions); w.close(at); }
  if (m.runAsUser !== undefined) { const at = w.open(26); writeInt64Value(w, m.runAsUser); w.close(at); }
  if (m.runAsGroup !== undefined) { const at = w.open(66); writeInt64Value(w, m.runAsGroup); w.close(at); }
  if (m.readonlyRootfs) w.bool(32, m.readonlyRootfs);
  if (m.supplementalGroups !== undefined) for (const v of m.supplementalGroups) w.int64(40, v);
  if (m.supplementalGroupsPolicy) w.int32(88, m.supplementalGroupsPolicy);
  if (m.privileged) w.bool(48, m.privileged);
  if (m.seccomp !== undefined) { const at = w.open(74); writeSecurityProfile(w, m.seccomp); w.close(at); }
  if (m.apparmor !== undefined) { const at = w.open(82); writeSecurityProfile(w, m.apparmor); w.close(at); }
  if (m.seccompProfilePath) w.string(58, m.seccompProfilePath);
}
export function decodeLinuxSandboxSecurityContext(bytes: Uint8Array): LinuxSandboxSecurityContext {
  const r = new Reader(bytes);
  return readLinuxSandboxSecurityContext(r, r.end);
}
export function encodeLinuxSandboxSecurityContext(m: Init<LinuxSandboxSecurityContext>): Uint8Array {
  const w = new Writer();
  writeLinuxSandboxSecurityContext(w, m);
  return w.finish();
}

export interface LinuxContainerSecurityContext {
  capabilities: Capability | undefined;
  privileged: boolean;
  namespaceOptions: NamespaceOption | undefined;
  selinuxOptions: SELinuxOption | undefined;
  runAsUser: Int64Value | undefined;
  runAsGroup: Int64Value | undefined;
  runAsUsername: string;
  readonlyRootfs: boolean;
  supplementalGroups: number[];
  supplementalGroupsPolicy: SupplementalGroupsPolicy;
  noNewPrivs: boolean;
  maskedPaths: string[];
  readonlyPaths: string[];
  seccomp: SecurityProfile | undefined;
  apparmor: SecurityProfile | undefined;
  apparmorProfile: string;
  seccompProfilePath: string;
}
function readLinuxContainerSecurityContext(r: Reader, end: number): LinuxContainerSecurityContext {
  const m: LinuxContainerSecurityContext = { capabilities: undefined, privileged: false, namespaceOptions: undefined, selinuxOptions: undefined, runAsUser: undefined, runAsGroup: undefined, runAsUsername: '', readonlyRootfs: false, supplementalGroups: [], supplementalGroupsPolicy: 0, noNewPrivs: false, maskedPaths: [], readonlyPaths: [], seccomp: undefined, apparmor: undefined, apparmorProfile: '', seccompProfilePath: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.capabilities = readCapability(r, r.length()); break;
      case 16: m.privileged = r.bool(); break;
      case 26: m.namespaceOptions = readNamespaceOption(r, r.length()); break;
      case 34: m.selinuxOptions = readSELinuxOption(r, r.length()); break;
      case 42: m.runAsUser = readInt64Value(r, r.length()); break;
      case 98: m.runAsGroup = readInt64Value(r, r.length()); break;
      case 50: m.runAsUsername = r.string(); break;
      case 56: m.readonlyRootfs = r.bool(); break;
      case 64: m.supplementalGroups.push(r.int64()); break;
      case 66: { const e = r.length(); while (r.pos < e) m.supplementalGroups.push(r.int64()); r.finish(e); break; }
      case 136: m.supplementalGroupsPolicy = r.int32(); break;
      case 88: m.noNewPrivs = r.bool(); break;
      case 106: m.maskedPaths.push(r.string()); break;
      case 114: m.readonlyPaths.push(r.string()); break;
      case 122: m.seccomp = readSecurityProfile(r, r.length()); break;
      case 130: m.apparmor = readSecurityProfile(r, r.length()); break;
      case 74: m.apparmorProfile = r.string(); break;
      case 82: m.seccompProfilePath = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxContainerSecurityContext(w: Writer, m: Init<LinuxContainerSecurityContext>): void {
  if (m.capabilities !== undefined) { const at = w.open(10); writeCapability(w, m.capabilities); w.close(at); }
  if (m.privileged) w.bool(16, m.privileged);
  if (m.namespaceOptions !== undefined) { const at = w.open(26); writeNamespaceOption(w, m.namespaceOptions); w.close(at); }
  if (m.selinuxOptions !== undefined) { const at = w.open(34); writeSELinuxOption(w, m.selinuxOptions); w.close(at); }
  if (m.runAsUser !== undefined) { const at = w.open(42); writeInt64Value(w, m.runAsUser); w.close(at); }
  if (m.runAsGroup !== undefined) { const at = w.open(98); writeInt64Value(w, m.runAsGroup); w.close(at); }
  if (m.runAsUsername) w.string(50, m.runAsUsername);
  if (m.readonlyRootfs) w.bool(56, m.readonlyRootfs);
  if (m.supplementalGroups !== undefined) for (const v of m.supplementalGroups) w.int64(64, v);
  if (m.supplementalGroupsPolicy) w.int32(136, m.supplementalGroupsPolicy);
  if (m.noNewPrivs) w.bool(88, m.noNewPrivs);
  if (m.maskedPaths !== undefined) for (const v of m.maskedPaths) w.string(106, v);
  if (m.readonlyPaths !== undefined) for (const v of m.readonlyPaths) w.string(114, v);
  if (m.seccomp !== undefined) { const at = w.open(122); writeSecurityProfile(w, m.seccomp); w.close(at); }
  if (m.apparmor !== undefined) { const at = w.open(130); writeSecurityProfile(w, m.apparmor); w.close(at); }
  if (m.apparmorProfile) w.string(74, m.apparmorProfile);
  if (m.seccompProfilePath) w.string(82, m.seccompProfilePath);
}
export function decodeLinuxContainerSecurityContext(bytes: Uint8Array): LinuxContainerSecurityContext {
  const r = new Reader(bytes);
  return readLinuxContainerSecurityContext(r, r.end);
}
export function encodeLinuxContainerSecurityContext(m: Init<LinuxContainerSecurityContext>): Uint8Array {
  const w = new Writer();
  writeLinuxContainerSecurityContext(w, m);
  return w.finish();
}

export interface LinuxContainerUser {
  uid: number;
  gid: number;
  supplementalGroups: number[];
}
function readLinuxContainerUser(r: Reader, end: number): LinuxContainerUser {
  const m: LinuxContainerUser = { uid: 0, gid: 0, supplementalGroups: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.uid = r.int64(); break;
      case 16: m.gid = r.int64(); break;
      case 24: m.supplementalGroups.push(r.int64()); break;
      case 26: { const e = r.length(); while (r.pos < e) m.supplementalGroups.push(r.int64()); r.finish(e); break; }
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxContainerUser(w: Writer, m: Init<LinuxContainerUser>): void {
  if (m.uid) w.int64(8, m.uid);
  if (m.gid) w.int64(16, m.gid);
  if (m.supplementalGroups !== undefined) for (const v of m.supplementalGroups) w.int64(24, v);
}
export function decodeLinuxContainerUser(bytes: Uint8Array): LinuxContainerUser {
  const r = new Reader(bytes);
  return readLinuxContainerUser(r, r.end);
}
export function encodeLinuxContainerUser(m: Init<LinuxContainerUser>): Uint8Array {
  const w = new Writer();
  writeLinuxContainerUser(w, m);
  return w.finish();
}

export interface ContainerUser {
  linux: LinuxContainerUser | undefined;
}
function readContainerUser(r: Reader, end: number): ContainerUser {
  const m: ContainerUser = { linux: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.linux = readLinuxContainerUser(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerUser(w: Writer, m: Init<ContainerUser>): void {
  if (m.linux !== undefined) { const at = w.open(10); writeLinuxContainerUser(w, m.linux); w.close(at); }
}
export function decodeContainerUser(bytes: Uint8Array): ContainerUser {
  const r = new Reader(bytes);
  return readContainerUser(r, r.end);
}
export function encodeContainerUser(m: Init<ContainerUser>): Uint8Array {
  const w = new Writer();
  writeContainerUser(w, m);
  return w.finish();
}

export interface PodSandboxMetadata {
  name: string;
  uid: string;
  namespace: string;
  attempt: number;
}
function readPodSandboxMetadata(r: Reader, end: number): PodSandboxMetadata {
  const m: PodSandboxMetadata = { name: '', uid: '', namespace: '', attempt: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 18: m.uid = r.string(); break;
      case 26: m.namespace = r.string(); break;
      case 32: m.attempt = r.uint32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxMetadata(w: Writer, m: Init<PodSandboxMetadata>): void {
  if (m.name) w.string(10, m.name);
  if (m.uid) w.string(18, m.uid);
  if (m.namespace) w.string(26, m.namespace);
  if (m.attempt) w.uint32(32, m.attempt);
}
export function decodePodSandboxMetadata(bytes: Uint8Array): PodSandboxMetadata {
  const r = new Reader(bytes);
  return readPodSandboxMetadata(r, r.end);
}
export function encodePodSandboxMetadata(m: Init<PodSandboxMetadata>): Uint8Array {
  const w = new Writer();
  writePodSandboxMetadata(w, m);
  return w.finish();
}

export interface PodSandboxConfig {
  metadata: PodSandboxMetadata | undefined;
  hostname: string;
  logDirectory: string;
  dnsConfig: DNSConfig | undefined;
  portMappings: PortMapping[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  linux: LinuxPodSandboxConfig | undefined;
  windows: WindowsPodSandboxConfig | undefined;
}
function readPodSandboxConfig(r: Reader, end: number): PodSandboxConfig {
  const m: PodSandboxConfig = { metadata: undefined, hostname: '', logDirectory: '', dnsConfig: undefined, portMappings: [], labels: {}, annotations: {}, linux: undefined, windows: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.metadata = readPodSandboxMetadata(r, r.length()); break;
      case 18: m.hostname = r.string(); break;
      case 26: m.logDirectory = r.string(); break;
      case 34: m.dnsConfig = readDNSConfig(r, r.length()); break;
      case 42: m.portMappings.push(readPortMapping(r, r.length())); break;
      case 50: r.stringEntry(m.labels); break;
      case 58: r.stringEntry(m.annotations); break;
      case 66: m.linux = readLinuxPodSandboxConfig(r, r.length()); break;
      case 74: m.windows = readWindowsPodSandboxConfig(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxConfig(w: Writer, m: Init<PodSandboxConfig>): void {
  if (m.metadata !== undefined) { const at = w.open(10); writePodSandboxMetadata(w, m.metadata); w.close(at); }
  if (m.hostname) w.string(18, m.hostname);
  if (m.logDirectory) w.string(26, m.logDirectory);
  if (m.dnsConfig !== undefined) { const at = w.open(34); writeDNSConfig(w, m.dnsConfig); w.close(at); }
  if (m.portMappings !== undefined) for (const v of m.portMappings) { const at = w.open(42); writePortMapping(w, v); w.close(at); }
  if (m.labels !== undefined) w.stringMap(50, m.labels);
  if (m.annotations !== undefined) w.stringMap(58, m.annotations);
  if (m.linux !== undefined) { const at = w.open(66); writeLinuxPodSandboxConfig(w, m.linux); w.close(at); }
  if (m.windows !== undefined) { const at = w.open(74); writeWindowsPodSandboxConfig(w, m.windows); w.close(at); }
}
export function decodePodSandboxConfig(bytes: Uint8Array): PodSandboxConfig {
  const r = new Reader(bytes);
  return readPodSandboxConfig(r, r.end);
}
export function encodePodSandboxConfig(m: Init<PodSandboxConfig>): Uint8Array {
  const w = new Writer();
  writePodSandboxConfig(w, m);
  return w.finish();
}

export interface LinuxPodSandboxConfig {
  cgroupParent: string;
  securityContext: LinuxSandboxSecurityContext | undefined;
  sysctls: Record<string, string>;
  overhead: LinuxContainerResources | undefined;
  resources: LinuxContainerResources | undefined;
}
function readLinuxPodSandboxConfig(r: Reader, end: number): LinuxPodSandboxConfig {
  const m: LinuxPodSandboxConfig = { cgroupParent: '', securityContext: undefined, sysctls: {}, overhead: undefined, resources: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.cgroupParent = r.string(); break;
      case 18: m.securityContext = readLinuxSandboxSecurityContext(r, r.length()); break;
      case 26: r.stringEntry(m.sysctls); break;
      case 34: m.overhead = readLinuxContainerResources(r, r.length()); break;
      case 42: m.resources = readLinuxContainerResources(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxPodSandboxConfig(w: Writer, m: Init<LinuxPodSandboxConfig>): void {
  if (m.cgroupParent) w.string(10, m.cgroupParent);
  if (m.securityContext !== undefined) { const at = w.open(18); writeLinuxSandboxSecurityContext(w, m.securityContext); w.close(at); }
  if (m.sysctls !== undefined) w.stringMap(26, m.sysctls);
  if (m.overhead !== undefined) { const at = w.open(34); writeLinuxContainerResources(w, m.overhead); w.close(at); }
  if (m.resources !== undefined) { const at = w.open(42); writeLinuxContainerResources(w, m.resources); w.close(at); }
}
export function decodeLinuxPodSandboxConfig(bytes: Uint8Array): LinuxPodSandboxConfig {
  const r = new Reader(bytes);
  return readLinuxPodSandboxConfig(r, r.end);
}
export function encodeLinuxPodSandboxConfig(m: Init<LinuxPodSandboxConfig>): Uint8Array {
  const w = new Writer();
  writeLinuxPodSandboxConfig(w, m);
  return w.finish();
}

export interface RunPodSandboxRequest {
  config: PodSandboxConfig | undefined;
  runtimeHandler: string;
}
function readRunPodSandboxRequest(r: Reader, end: number): RunPodSandboxRequest {
  const m: RunPodSandboxRequest = { config: undefined, runtimeHandler: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.config = readPodSandboxConfig(r, r.length()); break;
      case 18: m.runtimeHandler = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRunPodSandboxRequest(w: Writer, m: Init<RunPodSandboxRequest>): void {
  if (m.config !== undefined) { const at = w.open(10); writePodSandboxConfig(w, m.config); w.close(at); }
  if (m.runtimeHandler) w.string(18, m.runtimeHandler);
}
export function decodeRunPodSandboxRequest(bytes: Uint8Array): RunPodSandboxRequest {
  const r = new Reader(bytes);
  return readRunPodSandboxRequest(r, r.end);
}
export function encodeRunPodSandboxRequest(m: Init<RunPodSandboxRequest>): Uint8Array {
  const w = new Writer();
  writeRunPodSandboxRequest(w, m);
  return w.finish();
}

export interface RunPodSandboxResponse {
  podSandboxId: string;
}
function readRunPodSandboxResponse(r: Reader, end: number): RunPodSandboxResponse {
  const m: RunPodSandboxResponse = { podSandboxId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRunPodSandboxResponse(w: Writer, m: Init<RunPodSandboxResponse>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
}
export function decodeRunPodSandboxResponse(bytes: Uint8Array): RunPodSandboxResponse {
  const r = new Reader(bytes);
  return readRunPodSandboxResponse(r, r.end);
}
export function encodeRunPodSandboxResponse(m: Init<RunPodSandboxResponse>): Uint8Array {
  const w = new Writer();
  writeRunPodSandboxResponse(w, m);
  return w.finish();
}

export interface StopPodSandboxRequest {
  podSandboxId: string;
}
function readStopPodSandboxRequest(r: Reader, end: number): StopPodSandboxRequest {
  const m: StopPodSandboxRequest = { podSandboxId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStopPodSandboxRequest(w: Writer, m: Init<StopPodSandboxRequest>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
}
export function decodeStopPodSandboxRequest(bytes: Uint8Array): StopPodSandboxRequest {
  const r = new Reader(bytes);
  return readStopPodSandboxRequest(r, r.end);
}
export function encodeStopPodSandboxRequest(m: Init<StopPodSandboxRequest>): Uint8Array {
  const w = new Writer();
  writeStopPodSandboxRequest(w, m);
  return w.finish();
}

export interface StopPodSandboxResponse {
}
function readStopPodSandboxResponse(r: Reader, end: number): StopPodSandboxResponse {
  const m: StopPodSandboxResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeStopPodSandboxResponse(_w: Writer, _m: Init<StopPodSandboxResponse>): void {
}
export function decodeStopPodSandboxResponse(bytes: Uint8Array): StopPodSandboxResponse {
  const r = new Reader(bytes);
  return readStopPodSandboxResponse(r, r.end);
}
export function encodeStopPodSandboxResponse(m: Init<StopPodSandboxResponse>): Uint8Array {
  const w = new Writer();
  writeStopPodSandboxResponse(w, m);
  return w.finish();
}

export interface RemovePodSandboxRequest {
  podSandboxId: string;
}
function readRemovePodSandboxRequest(r: Reader, end: number): RemovePodSandboxRequest {
  const m: RemovePodSandboxRequest = { podSandboxId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRemovePodSandboxRequest(w: Writer, m: Init<RemovePodSandboxRequest>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
}
export function decodeRemovePodSandboxRequest(bytes: Uint8Array): RemovePodSandboxRequest {
  const r = new Reader(bytes);
  return readRemovePodSandboxRequest(r, r.end);
}
export function encodeRemovePodSandboxRequest(m: Init<RemovePodSandboxRequest>): Uint8Array {
  const w = new Writer();
  writeRemovePodSandboxRequest(w, m);
  return w.finish();
}

export interface RemovePodSandboxResponse {
}
function readRemovePodSandboxResponse(r: Reader, end: number): RemovePodSandboxResponse {
  const m: RemovePodSandboxResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeRemovePodSandboxResponse(_w: Writer, _m: Init<RemovePodSandboxResponse>): void {
}
export function decodeRemovePodSandboxResponse(bytes: Uint8Array): RemovePodSandboxResponse {
  const r = new Reader(bytes);
  return readRemovePodSandboxResponse(r, r.end);
}
export function encodeRemovePodSandboxResponse(m: Init<RemovePodSandboxResponse>): Uint8Array {
  const w = new Writer();
  writeRemovePodSandboxResponse(w, m);
  return w.finish();
}

export interface UpdatePodSandboxResourcesRequest {
  podSandboxId: string;
  overhead: LinuxContainerResources | undefined;
  resources: LinuxContainerResources | undefined;
}
function readUpdatePodSandboxResourcesRequest(r: Reader, end: number): UpdatePodSandboxResourcesRequest {
  const m: UpdatePodSandboxResourcesRequest = { podSandboxId: '', overhead: undefined, resources: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      case 18: m.overhead = readLinuxContainerResources(r, r.length()); break;
      case 26: m.resources = readLinuxContainerResources(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeUpdatePodSandboxResourcesRequest(w: Writer, m: Init<UpdatePodSandboxResourcesRequest>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
  if (m.overhead !== undefined) { const at = w.open(18); writeLinuxContainerResources(w, m.overhead); w.close(at); }
  if (m.resources !== undefined) { const at = w.open(26); writeLinuxContainerResources(w, m.resources); w.close(at); }
}
export function decodeUpdatePodSandboxResourcesRequest(bytes: Uint8Array): UpdatePodSandboxResourcesRequest {
  const r = new Reader(bytes);
  return readUpdatePodSandboxResourcesRequest(r, r.end);
}
export function encodeUpdatePodSandboxResourcesRequest(m: Init<UpdatePodSandboxResourcesRequest>): Uint8Array {
  const w = new Writer();
  writeUpdatePodSandboxResourcesRequest(w, m);
  return w.finish();
}

export interface UpdatePodSandboxResourcesResponse {
}
function readUpdatePodSandboxResourcesResponse(r: Reader, end: number): UpdatePodSandboxResourcesResponse {
  const m: UpdatePodSandboxResourcesResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeUpdatePodSandboxResourcesResponse(_w: Writer, _m: Init<UpdatePodSandboxResourcesResponse>): void {
}
export function decodeUpdatePodSandboxResourcesResponse(bytes: Uint8Array): UpdatePodSandboxResourcesResponse {
  const r = new Reader(bytes);
  return readUpdatePodSandboxResourcesResponse(r, r.end);
}
export function encodeUpdatePodSandboxResourcesResponse(m: Init<UpdatePodSandboxResourcesResponse>): Uint8Array {
  const w = new Writer();
  writeUpdatePodSandboxResourcesResponse(w, m);
  return w.finish();
}

export interface PodSandboxStatusRequest {
  podSandboxId: string;
  verbose: boolean;
}
function readPodSandboxStatusRequest(r: Reader, end: number): PodSandboxStatusRequest {
  const m: PodSandboxStatusRequest = { podSandboxId: '', verbose: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      case 16: m.verbose = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxStatusRequest(w: Writer, m: Init<PodSandboxStatusRequest>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
  if (m.verbose) w.bool(16, m.verbose);
}
export function decodePodSandboxStatusRequest(bytes: Uint8Array): PodSandboxStatusRequest {
  const r = new Reader(bytes);
  return readPodSandboxStatusRequest(r, r.end);
}
export function encodePodSandboxStatusRequest(m: Init<PodSandboxStatusRequest>): Uint8Array {
  const w = new Writer();
  writePodSandboxStatusRequest(w, m);
  return w.finish();
}

export interface PodSandboxStatusResponse {
  status: PodSandboxStatus | undefined;
  info: Record<string, string>;
}
function readPodSandboxStatusResponse(r: Reader, end: number): PodSandboxStatusResponse {
  const m: PodSandboxStatusResponse = { status: undefined, info: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.status = readPodSandboxStatus(r, r.length()); break;
      case 18: r.stringEntry(m.info); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxStatusResponse(w: Writer, m: Init<PodSandboxStatusResponse>): void {
  if (m.status !== undefined) { const at = w.open(10); writePodSandboxStatus(w, m.status); w.close(at); }
  if (m.info !== undefined) w.stringMap(18, m.info);
}
export function decodePodSandboxStatusResponse(bytes: Uint8Array): PodSandboxStatusResponse {
  const r = new Reader(bytes);
  return readPodSandboxStatusResponse(r, r.end);
}
export function encodePodSandboxStatusResponse(m: Init<PodSandboxStatusResponse>): Uint8Array {
  const w = new Writer();
  writePodSandboxStatusResponse(w, m);
  return w.finish();
}

export interface PodSandboxStatus {
  id: string;
  metadata: PodSandboxMetadata | undefined;
  state: PodSandboxState;
  createdAt: number;
  network: PodSandboxNetworkStatus | undefined;
  linux: LinuxPodSandboxStatus | undefined;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  runtimeHandler: string;
}
function readPodSandboxStatus(r: Reader, end: number): PodSandboxStatus {
  const m: PodSandboxStatus = { id: '', metadata: undefined, state: 0, createdAt: 0, network: undefined, linux: undefined, labels: {}, annotations: {}, runtimeHandler: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.metadata = readPodSandboxMetadata(r, r.length()); break;
      case 24: m.state = r.int32(); break;
      case 32: m.createdAt = r.int64(); break;
      case 42: m.network = readPodSandboxNetworkStatus(r, r.length()); break;
      case 50: m.linux = readLinuxPodSandboxStatus(r, r.length()); break;
      case 58: r.stringEntry(m.labels); break;
      case 66: r.stringEntry(m.annotations); break;
      case 74: m.runtimeHandler = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxStatus(w: Writer, m: Init<PodSandboxStatus>): void {
  if (m.id) w.string(10, m.id);
  if (m.metadata !== undefined) { const at = w.open(18); writePodSandboxMetadata(w, m.metadata); w.close(at); }
  if (m.state) w.int32(24, m.state);
  if (m.createdAt) w.int64(32, m.createdAt);
  if (m.network !== undefined) { const at = w.open(42); writePodSandboxNetworkStatus(w, m.network); w.close(at); }
  if (m.linux !== undefined) { const at = w.open(50); writeLinuxPodSandboxStatus(w, m.linux); w.close(at); }
  if (m.labels !== undefined) w.stringMap(58, m.labels);
  if (m.annotations !== undefined) w.stringMap(66, m.annotations);
  if (m.runtimeHandler) w.string(74, m.runtimeHandler);
}
export function decodePodSandboxStatus(bytes: Uint8Array): PodSandboxStatus {
  const r = new Reader(bytes);
  return readPodSandboxStatus(r, r.end);
}
export function encodePodSandboxStatus(m: Init<PodSandboxStatus>): Uint8Array {
  const w = new Writer();
  writePodSandboxStatus(w, m);
  return w.finish();
}

export interface PodSandboxNetworkStatus {
  ip: string;
  additionalIps: PodIP[];
}
function readPodSandboxNetworkStatus(r: Reader, end: number): PodSandboxNetworkStatus {
  const m: PodSandboxNetworkStatus = { ip: '', additionalIps: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.ip = r.string(); break;
      case 18: m.additionalIps.push(readPodIP(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxNetworkStatus(w: Writer, m: Init<PodSandboxNetworkStatus>): void {
  if (m.ip) w.string(10, m.ip);
  if (m.additionalIps !== undefined) for (const v of m.additionalIps) { const at = w.open(18); writePodIP(w, v); w.close(at); }
}
export function decodePodSandboxNetworkStatus(bytes: Uint8Array): PodSandboxNetworkStatus {
  const r = new Reader(bytes);
  return readPodSandboxNetworkStatus(r, r.end);
}
export function encodePodSandboxNetworkStatus(m: Init<PodSandboxNetworkStatus>): Uint8Array {
  const w = new Writer();
  writePodSandboxNetworkStatus(w, m);
  return w.finish();
}

export interface LinuxPodSandboxStatus {
  namespaces: Namespace | undefined;
}
function readLinuxPodSandboxStatus(r: Reader, end: number): LinuxPodSandboxStatus {
  const m: LinuxPodSandboxStatus = { namespaces: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.namespaces = readNamespace(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxPodSandboxStatus(w: Writer, m: Init<LinuxPodSandboxStatus>): void {
  if (m.namespaces !== undefined) { const at = w.open(10); writeNamespace(w, m.namespaces); w.close(at); }
}
export function decodeLinuxPodSandboxStatus(bytes: Uint8Array): LinuxPodSandboxStatus {
  const r = new Reader(bytes);
  return readLinuxPodSandboxStatus(r, r.end);
}
export function encodeLinuxPodSandboxStatus(m: Init<LinuxPodSandboxStatus>): Uint8Array {
  const w = new Writer();
  writeLinuxPodSandboxStatus(w, m);
  return w.finish();
}

export interface PodSandboxStateValue {
  state: PodSandboxState;
}
function readPodSandboxStateValue(r: Reader, end: number): PodSandboxStateValue {
  const m: PodSandboxStateValue = { state: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.state = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxStateValue(w: Writer, m: Init<PodSandboxStateValue>): void {
  if (m.state) w.int32(8, m.state);
}
export function decodePodSandboxStateValue(bytes: Uint8Array): PodSandboxStateValue {
  const r = new Reader(bytes);
  return readPodSandboxStateValue(r, r.end);
}
export function encodePodSandboxStateValue(m: Init<PodSandboxStateValue>): Uint8Array {
  const w = new Writer();
  writePodSandboxStateValue(w, m);
  return w.finish();
}

export interface PodSandboxFilter {
  id: string;
  state: PodSandboxStateValue | undefined;
  labelSelector: Record<string, string>;
}
function readPodSandboxFilter(r: Reader, end: number): PodSandboxFilter {
  const m: PodSandboxFilter = { id: '', state: undefined, labelSelector: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.state = readPodSandboxStateValue(r, r.length()); break;
      case 26: r.stringEntry(m.labelSelector); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxFilter(w: Writer, m: Init<PodSandboxFilter>): void {
  if (m.id) w.string(10, m.id);
  if (m.state !== undefined) { const at = w.open(18); writePodSandboxStateValue(w, m.state); w.close(at); }
  if (m.labelSelector !== undefined) w.stringMap(26, m.labelSelector);
}
export function decodePodSandboxFilter(bytes: Uint8Array): PodSandboxFilter {
  const r = new Reader(bytes);
  return readPodSandboxFilter(r, r.end);
}
export function encodePodSandboxFilter(m: Init<PodSandboxFilter>): Uint8Array {
  const w = new Writer();
  writePodSandboxFilter(w, m);
  return w.finish();
}

export interface ListPodSandboxRequest {
  filter: PodSandboxFilter | undefined;
}
function readListPodSandboxRequest(r: Reader, end: number): ListPodSandboxRequest {
  const m: ListPodSandboxRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readPodSandboxFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListPodSandboxRequest(w: Writer, m: Init<ListPodSandboxRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writePodSandboxFilter(w, m.filter); w.close(at); }
}
export function decodeListPodSandboxRequest(bytes: Uint8Array): ListPodSandboxRequest {
  const r = new Reader(bytes);
  return readListPodSandboxRequest(r, r.end);
}
export function encodeListPodSandboxRequest(m: Init<ListPodSandboxRequest>): Uint8Array {
  const w = new Writer();
  writeListPodSandboxRequest(w, m);
  return w.finish();
}

export interface ListPodSandboxResponse {
  items: PodSandbox[];
}
function readListPodSandboxResponse(r: Reader, end: number): ListPodSandboxResponse {
  const m: ListPodSandboxResponse = { items: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.items.push(readPodSandbox(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListPodSandboxResponse(w: Writer, m: Init<ListPodSandboxResponse>): void {
  if (m.items !== undefined) for (const v of m.items) { const at = w.open(10); writePodSandbox(w, v); w.close(at); }
}
export function decodeListPodSandboxResponse(bytes: Uint8Array): ListPodSandboxResponse {
  const r = new Reader(bytes);
  return readListPodSandboxResponse(r, r.end);
}
export function encodeListPodSandboxResponse(m: Init<ListPodSandboxResponse>): Uint8Array {
  const w = new Writer();
  writeListPodSandboxResponse(w, m);
  return w.finish();
}

export interface StreamPodSandboxesRequest {
  filter: PodSandboxFilter | undefined;
}
function readStreamPodSandboxesRequest(r: Reader, end: number): StreamPodSandboxesRequest {
  const m: StreamPodSandboxesRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readPodSandboxFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamPodSandboxesRequest(w: Writer, m: Init<StreamPodSandboxesRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writePodSandboxFilter(w, m.filter); w.close(at); }
}
export function decodeStreamPodSandboxesRequest(bytes: Uint8Array): StreamPodSandboxesRequest {
  const r = new Reader(bytes);
  return readStreamPodSandboxesRequest(r, r.end);
}
export function encodeStreamPodSandboxesRequest(m: Init<StreamPodSandboxesRequest>): Uint8Array {
  const w = new Writer();
  writeStreamPodSandboxesRequest(w, m);
  return w.finish();
}

export interface StreamPodSandboxesResponse {
  podSandboxes: PodSandbox[];
}
function readStreamPodSandboxesResponse(r: Reader, end: number): StreamPodSandboxesResponse {
  const m: StreamPodSandboxesResponse = { podSandboxes: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxes.push(readPodSandbox(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamPodSandboxesResponse(w: Writer, m: Init<StreamPodSandboxesResponse>): void {
  if (m.podSandboxes !== undefined) for (const v of m.podSandboxes) { const at = w.open(10); writePodSandbox(w, v); w.close(at); }
}
export function decodeStreamPodSandboxesResponse(bytes: Uint8Array): StreamPodSandboxesResponse {
  const r = new Reader(bytes);
  return readStreamPodSandboxesResponse(r, r.end);
}
export function encodeStreamPodSandboxesResponse(m: Init<StreamPodSandboxesResponse>): Uint8Array {
  const w = new Writer();
  writeStreamPodSandboxesResponse(w, m);
  return w.finish();
}

export interface PodSandbox {
  id: string;
  metadata: PodSandboxMetadata | undefined;
  state: PodSandboxState;
  createdAt: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  runtimeHandler: string;
}
function readPodSandbox(r: Reader, end: number): PodSandbox {
  const m: PodSandbox = { id: '', metadata: undefined, state: 0, createdAt: 0, labels: {}, annotations: {}, runtimeHandler: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.metadata = readPodSandboxMetadata(r, r.length()); break;
      case 24: m.state = r.int32(); break;
      case 32: m.createdAt = r.int64(); break;
      case 42: r.stringEntry(m.labels); break;
      case 50: r.stringEntry(m.annotations); break;
      case 58: m.runtimeHandler = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandbox(w: Writer, m: Init<PodSandbox>): void {
  if (m.id) w.string(10, m.id);
  if (m.metadata !== undefined) { const at = w.open(18); writePodSandboxMetadata(w, m.metadata); w.close(at); }
  if (m.state) w.int32(24, m.state);
  if (m.createdAt) w.int64(32, m.createdAt);
  if (m.labels !== undefined) w.stringMap(42, m.labels);
  if (m.annotations !== undefined) w.stringMap(50, m.annotations);
  if (m.runtimeHandler) w.string(58, m.runtimeHandler);
}
export function decodePodSandbox(bytes: Uint8Array): PodSandbox {
  const r = new Reader(bytes);
  return readPodSandbox(r, r.end);
}
export function encodePodSandbox(m: Init<PodSandbox>): Uint8Array {
  const w = new Writer();
  writePodSandbox(w, m);
  return w.finish();
}

export interface ContainerMetadata {
  name: string;
  attempt: number;
}
function readContainerMetadata(r: Reader, end: number): ContainerMetadata {
  const m: ContainerMetadata = { name: '', attempt: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 16: m.attempt = r.uint32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerMetadata(w: Writer, m: Init<ContainerMetadata>): void {
  if (m.name) w.string(10, m.name);
  if (m.attempt) w.uint32(16, m.attempt);
}
export function decodeContainerMetadata(bytes: Uint8Array): ContainerMetadata {
  const r = new Reader(bytes);
  return readContainerMetadata(r, r.end);
}
export function encodeContainerMetadata(m: Init<ContainerMetadata>): Uint8Array {
  const w = new Writer();
  writeContainerMetadata(w, m);
  return w.finish();
}

export interface ImageSpec {
  image: string;
  annotations: Record<string, string>;
  userSpecifiedImage: string;
  runtimeHandler: string;
  imageRef: string;
}
function readImageSpec(r: Reader, end: number): ImageSpec {
  const m: ImageSpec = { image: '', annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.image = r.string(); break;
      case 18: r.stringEntry(m.annotations); break;
      case 146: m.userSpecifiedImage = r.string(); break;
      case 154: m.runtimeHandler = r.string(); break;
      case 162: m.imageRef = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeImageSpec(w: Writer, m: Init<ImageSpec>): void {
  if (m.image) w.string(10, m.image);
  if (m.annotations !== undefined) w.stringMap(18, m.annotations);
  if (m.userSpecifiedImage) w.string(146, m.userSpecifiedImage);
  if (m.runtimeHandler) w.string(154, m.runtimeHandler);
  if (m.imageRef) w.string(162, m.imageRef);
}
export function decodeImageSpec(bytes: Uint8Array): ImageSpec {
  const r = new Reader(bytes);
  return readImageSpec(r, r.end);
}
export function encodeImageSpec(m: Init<ImageSpec>): Uint8Array {
  const w = new Writer();
  writeImageSpec(w, m);
  return w.finish();
}

export interface Mount {
  containerPath: string;
  hostPath: string;
  readonly: boolean;
  selinuxRelabel: boolean;
  propagation: MountPropagation;
  uidMappings: IDMapping[];
  gidMappings: IDMapping[];
  recursiveReadOnly: boolean;
  image: ImageSpec | undefined;
  imageSubPath: string;
}
function readMount(r: Reader, end: number): Mount {
  const m: Mount = { containerPath: '', hostPath: '', readonly: false, selinuxRelabel: false, propagation: 0, uidMappings: [], gidMappings: [], recursiveReadOnly: false, image: undefined, imageSubPath: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerPath = r.string(); break;
      case 18: m.hostPath = r.string(); break;
      case 24: m.readonly = r.bool(); break;
      case 32: m.selinuxRelabel = r.bool(); break;
      case 40: m.propagation = r.int32(); break;
      case 50: m.uidMappings.push(readIDMapping(r, r.length())); break;
      case 58: m.gidMappings.push(readIDMapping(r, r.length())); break;
      case 64: m.recursiveReadOnly = r.bool(); break;
      case 74: m.image = readImageSpec(r, r.length()); break;
      case 82: m.imageSubPath = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeMount(w: Writer, m: Init<Mount>): void {
  if (m.containerPath) w.string(10, m.containerPath);
  if (m.hostPath) w.string(18, m.hostPath);
  if (m.readonly) w.bool(24, m.readonly);
  if (m.selinuxRelabel) w.bool(32, m.selinuxRelabel);
  if (m.propagation) w.int32(40, m.propagation);
  if (m.uidMappings !== undefined) for (const v of m.uidMappings) { const at = w.open(50); writeIDMapping(w, v); w.close(at); }
  if (m.gidMappings !== undefined) for (const v of m.gidMappings) { const at = w.open(58); writeIDMapping(w, v); w.close(at); }
  if (m.recursiveReadOnly) w.bool(64, m.recursiveReadOnly);
  if (m.image !== undefined) { const at = w.open(74); writeImageSpec(w, m.image); w.close(at); }
  if (m.imageSubPath) w.string(82, m.imageSubPath);
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

export interface Device {
  containerPath: string;
  hostPath: string;
  permissions: string;
}
function readDevice(r: Reader, end: number): Device {
  const m: Device = { containerPath: '', hostPath: '', permissions: '' };
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
function writeDevice(w: Writer, m: Init<Device>): void {
  if (m.containerPath) w.string(10, m.containerPath);
  if (m.hostPath) w.string(18, m.hostPath);
  if (m.permissions) w.string(26, m.permissions);
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

export interface ContainerConfig {
  metadata: ContainerMetadata | undefined;
  image: ImageSpec | undefined;
  command: string[];
  args: string[];
  workingDir: string;
  envs: KeyValue[];
  mounts: Mount[];
  devices: Device[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  logPath: string;
  stdin: boolean;
  stdinOnce: boolean;
  tty: boolean;
  linux: LinuxContainerConfig | undefined;
  windows: WindowsContainerConfig | undefined;
  CDIDevices: CDIDevice[];
  stopSignal: Signal;
}
function readContainerConfig(r: Reader, end: number): ContainerConfig {
  const m: ContainerConfig = { metadata: undefined, image: undefined, command: [], args: [], workingDir: '', envs: [], mounts: [], devices: [], labels: {}, annotations: {}, logPath: '', stdin: false, stdinOnce: false, tty: false, linux: undefined, windows: undefined, CDIDevices: [], stopSignal: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.metadata = readContainerMetadata(r, r.length()); break;
      case 18: m.image = readImageSpec(r, r.length()); break;
      case 26: m.command.push(r.string()); break;
      case 34: m.args.push(r.string()); break;
      case 42: m.workingDir = r.string(); break;
      case 50: m.envs.push(readKeyValue(r, r.length())); break;
      case 58: m.mounts.push(readMount(r, r.length())); break;
      case 66: m.devices.push(readDevice(r, r.length())); break;
      case 74: r.stringEntry(m.labels); break;
      case 82: r.stringEntry(m.annotations); break;
      case 90: m.logPath = r.string(); break;
      case 96: m.stdin = r.bool(); break;
      case 104: m.stdinOnce = r.bool(); break;
      case 112: m.tty = r.bool(); break;
      case 122: m.linux = readLinuxContainerConfig(r, r.length()); break;
      case 130: m.windows = readWindowsContainerConfig(r, r.length()); break;
      case 138: m.CDIDevices.push(readCDIDevice(r, r.length())); break;
      case 144: m.stopSignal = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerConfig(w: Writer, m: Init<ContainerConfig>): void {
  if (m.metadata !== undefined) { const at = w.open(10); writeContainerMetadata(w, m.metadata); w.close(at); }
  if (m.image !== undefined) { const at = w.open(18); writeImageSpec(w, m.image); w.close(at); }
  if (m.command !== undefined) for (const v of m.command) w.string(26, v);
  if (m.args !== undefined) for (const v of m.args) w.string(34, v);
  if (m.workingDir) w.string(42, m.workingDir);
  if (m.envs !== undefined) for (const v of m.envs) { const at = w.open(50); writeKeyValue(w, v); w.close(at); }
  if (m.mounts !== undefined) for (const v of m.mounts) { const at = w.open(58); writeMount(w, v); w.close(at); }
  if (m.devices !== undefined) for (const v of m.devices) { const at = w.open(66); writeDevice(w, v); w.close(at); }
  if (m.labels !== undefined) w.stringMap(74, m.labels);
  if (m.annotations !== undefined) w.stringMap(82, m.annotations);
  if (m.logPath) w.string(90, m.logPath);
  if (m.stdin) w.bool(96, m.stdin);
  if (m.stdinOnce) w.bool(104, m.stdinOnce);
  if (m.tty) w.bool(112, m.tty);
  if (m.linux !== undefined) { const at = w.open(122); writeLinuxContainerConfig(w, m.linux); w.close(at); }
  if (m.windows !== undefined) { const at = w.open(130); writeWindowsContainerConfig(w, m.windows); w.close(at); }
  if (m.CDIDevices !== undefined) for (const v of m.CDIDevices) { const at = w.open(138); writeCDIDevice(w, v); w.close(at); }
  if (m.stopSignal) w.int32(144, m.stopSignal);
}
export function decodeContainerConfig(bytes: Uint8Array): ContainerConfig {
  const r = new Reader(bytes);
  return readContainerConfig(r, r.end);
}
export function encodeContainerConfig(m: Init<ContainerConfig>): Uint8Array {
  const w = new Writer();
  writeContainerConfig(w, m);
  return w.finish();
}

export interface LinuxContainerConfig {
  resources: LinuxContainerResources | undefined;
  securityContext: LinuxContainerSecurityContext | undefined;
}
function readLinuxContainerConfig(r: Reader, end: number): LinuxContainerConfig {
  const m: LinuxContainerConfig = { resources: undefined, securityContext: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.resources = readLinuxContainerResources(r, r.length()); break;
      case 18: m.securityContext = readLinuxContainerSecurityContext(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxContainerConfig(w: Writer, m: Init<LinuxContainerConfig>): void {
  if (m.resources !== undefined) { const at = w.open(10); writeLinuxContainerResources(w, m.resources); w.close(at); }
  if (m.securityContext !== undefined) { const at = w.open(18); writeLinuxContainerSecurityContext(w, m.securityContext); w.close(at); }
}
export function decodeLinuxContainerConfig(bytes: Uint8Array): LinuxContainerConfig {
  const r = new Reader(bytes);
  return readLinuxContainerConfig(r, r.end);
}
export function encodeLinuxContainerConfig(m: Init<LinuxContainerConfig>): Uint8Array {
  const w = new Writer();
  writeLinuxContainerConfig(w, m);
  return w.finish();
}

export interface LinuxContainerResources {
  cpuPeriod: number;
  cpuQuota: number;
  cpuShares: number;
  memoryLimitInBytes: number;
  oomScoreAdj: number;
  cpusetCpus: string;
  cpusetMems: string;
  hugepageLimits: HugepageLimit[];
  unified: Record<string, string>;
  memorySwapLimitInBytes: number;
}
function readLinuxContainerResources(r: Reader, end: number): LinuxContainerResources {
  const m: LinuxContainerResources = { cpuPeriod: 0, cpuQuota: 0, cpuShares: 0, memoryLimitInBytes: 0, oomScoreAdj: 0, cpusetCpus: '', cpusetMems: '', hugepageLimits: [], unified: {}, memorySwapLimitInBytes: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.cpuPeriod = r.int64(); break;
      case 16: m.cpuQuota = r.int64(); break;
      case 24: m.cpuShares = r.int64(); break;
      case 32: m.memoryLimitInBytes = r.int64(); break;
      case 40: m.oomScoreAdj = r.int64(); break;
      case 50: m.cpusetCpus = r.string(); break;
      case 58: m.cpusetMems = r.string(); break;
      case 66: m.hugepageLimits.push(readHugepageLimit(r, r.length())); break;
      case 74: r.stringEntry(m.unified); break;
      case 80: m.memorySwapLimitInBytes = r.int64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxContainerResources(w: Writer, m: Init<LinuxContainerResources>): void {
  if (m.cpuPeriod) w.int64(8, m.cpuPeriod);
  if (m.cpuQuota) w.int64(16, m.cpuQuota);
  if (m.cpuShares) w.int64(24, m.cpuShares);
  if (m.memoryLimitInBytes) w.int64(32, m.memoryLimitInBytes);
  if (m.oomScoreAdj) w.int64(40, m.oomScoreAdj);
  if (m.cpusetCpus) w.string(50, m.cpusetCpus);
  if (m.cpusetMems) w.string(58, m.cpusetMems);
  if (m.hugepageLimits !== undefined) for (const v of m.hugepageLimits) { const at = w.open(66); writeHugepageLimit(w, v); w.close(at); }
  if (m.unified !== undefined) w.stringMap(74, m.unified);
  if (m.memorySwapLimitInBytes) w.int64(80, m.memorySwapLimitInBytes);
}
export function decodeLinuxContainerResources(bytes: Uint8Array): LinuxContainerResources {
  const r = new Reader(bytes);
  return readLinuxContainerResources(r, r.end);
}
export function encodeLinuxContainerResources(m: Init<LinuxContainerResources>): Uint8Array {
  const w = new Writer();
  writeLinuxContainerResources(w, m);
  return w.finish();
}

export interface CreateContainerRequest {
  podSandboxId: string;
  config: ContainerConfig | undefined;
  sandboxConfig: PodSandboxConfig | undefined;
}
function readCreateContainerRequest(r: Reader, end: number): CreateContainerRequest {
  const m: CreateContainerRequest = { podSandboxId: '', config: undefined, sandboxConfig: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      case 18: m.config = readContainerConfig(r, r.length()); break;
      case 26: m.sandboxConfig = readPodSandboxConfig(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeCreateContainerRequest(w: Writer, m: Init<CreateContainerRequest>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
  if (m.config !== undefined) { const at = w.open(18); writeContainerConfig(w, m.config); w.close(at); }
  if (m.sandboxConfig !== undefined) { const at = w.open(26); writePodSandboxConfig(w, m.sandboxConfig); w.close(at); }
}
export function decodeCreateContainerRequest(bytes: Uint8Array): CreateContainerRequest {
  const r = new Reader(bytes);
  return readCreateContainerRequest(r, r.end);
}
export function encodeCreateContainerRequest(m: Init<CreateContainerRequest>): Uint8Array {
  const w = new Writer();
  writeCreateContainerRequest(w, m);
  return w.finish();
}

export interface CreateContainerResponse {
  containerId: string;
}
function readCreateContainerResponse(r: Reader, end: number): CreateContainerResponse {
  const m: CreateContainerResponse = { containerId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeCreateContainerResponse(w: Writer, m: Init<CreateContainerResponse>): void {
  if (m.containerId) w.string(10, m.containerId);
}
export function decodeCreateContainerResponse(bytes: Uint8Array): CreateContainerResponse {
  const r = new Reader(bytes);
  return readCreateContainerResponse(r, r.end);
}
export function encodeCreateContainerResponse(m: Init<CreateContainerResponse>): Uint8Array {
  const w = new Writer();
  writeCreateContainerResponse(w, m);
  return w.finish();
}

export interface StartContainerRequest {
  containerId: string;
}
function readStartContainerRequest(r: Reader, end: number): StartContainerRequest {
  const m: StartContainerRequest = { containerId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStartContainerRequest(w: Writer, m: Init<StartContainerRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
}
export function decodeStartContainerRequest(bytes: Uint8Array): StartContainerRequest {
  const r = new Reader(bytes);
  return readStartContainerRequest(r, r.end);
}
export function encodeStartContainerRequest(m: Init<StartContainerRequest>): Uint8Array {
  const w = new Writer();
  writeStartContainerRequest(w, m);
  return w.finish();
}

export interface StartContainerResponse {
}
function readStartContainerResponse(r: Reader, end: number): StartContainerResponse {
  const m: StartContainerResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeStartContainerResponse(_w: Writer, _m: Init<StartContainerResponse>): void {
}
export function decodeStartContainerResponse(bytes: Uint8Array): StartContainerResponse {
  const r = new Reader(bytes);
  return readStartContainerResponse(r, r.end);
}
export function encodeStartContainerResponse(m: Init<StartContainerResponse>): Uint8Array {
  const w = new Writer();
  writeStartContainerResponse(w, m);
  return w.finish();
}

export interface StopContainerRequest {
  containerId: string;
  timeout: number;
}
function readStopContainerRequest(r: Reader, end: number): StopContainerRequest {
  const m: StopContainerRequest = { containerId: '', timeout: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 16: m.timeout = r.int64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStopContainerRequest(w: Writer, m: Init<StopContainerRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.timeout) w.int64(16, m.timeout);
}
export function decodeStopContainerRequest(bytes: Uint8Array): StopContainerRequest {
  const r = new Reader(bytes);
  return readStopContainerRequest(r, r.end);
}
export function encodeStopContainerRequest(m: Init<StopContainerRequest>): Uint8Array {
  const w = new Writer();
  writeStopContainerRequest(w, m);
  return w.finish();
}

export interface StopContainerResponse {
}
function readStopContainerResponse(r: Reader, end: number): StopContainerResponse {
  const m: StopContainerResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeStopContainerResponse(_w: Writer, _m: Init<StopContainerResponse>): void {
}
export function decodeStopContainerResponse(bytes: Uint8Array): StopContainerResponse {
  const r = new Reader(bytes);
  return readStopContainerResponse(r, r.end);
}
export function encodeStopContainerResponse(m: Init<StopContainerResponse>): Uint8Array {
  const w = new Writer();
  writeStopContainerResponse(w, m);
  return w.finish();
}

export interface RemoveContainerRequest {
  containerId: string;
}
function readRemoveContainerRequest(r: Reader, end: number): RemoveContainerRequest {
  const m: RemoveContainerRequest = { containerId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRemoveContainerRequest(w: Writer, m: Init<RemoveContainerRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
}
export function decodeRemoveContainerRequest(bytes: Uint8Array): RemoveContainerRequest {
  const r = new Reader(bytes);
  return readRemoveContainerRequest(r, r.end);
}
export function encodeRemoveContainerRequest(m: Init<RemoveContainerRequest>): Uint8Array {
  const w = new Writer();
  writeRemoveContainerRequest(w, m);
  return w.finish();
}

export interface RemoveContainerResponse {
}
function readRemoveContainerResponse(r: Reader, end: number): RemoveContainerResponse {
  const m: RemoveContainerResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeRemoveContainerResponse(_w: Writer, _m: Init<RemoveContainerResponse>): void {
}
export function decodeRemoveContainerResponse(bytes: Uint8Array): RemoveContainerResponse {
  const r = new Reader(bytes);
  return readRemoveContainerResponse(r, r.end);
}
export function encodeRemoveContainerResponse(m: Init<RemoveContainerResponse>): Uint8Array {
  const w = new Writer();
  writeRemoveContainerResponse(w, m);
  return w.finish();
}

export interface UpdateContainerResourcesRequest {
  containerId: string;
  linux: LinuxContainerResources | undefined;
  windows: WindowsContainerResources | undefined;
  annotations: Record<string, string>;
}
function readUpdateContainerResourcesRequest(r: Reader, end: number): UpdateContainerResourcesRequest {
  const m: UpdateContainerResourcesRequest = { containerId: '', linux: undefined, windows: undefined, annotations: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 18: m.linux = readLinuxContainerResources(r, r.length()); break;
      case 26: m.windows = readWindowsContainerResources(r, r.length()); break;
      case 34: r.stringEntry(m.annotations); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeUpdateContainerResourcesRequest(w: Writer, m: Init<UpdateContainerResourcesRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.linux !== undefined) { const at = w.open(18); writeLinuxContainerResources(w, m.linux); w.close(at); }
  if (m.windows !== undefined) { const at = w.open(26); writeWindowsContainerResources(w, m.windows); w.close(at); }
  if (m.annotations !== undefined) w.stringMap(34, m.annotations);
}
export function decodeUpdateContainerResourcesRequest(bytes: Uint8Array): UpdateContainerResourcesRequest {
  const r = new Reader(bytes);
  return readUpdateContainerResourcesRequest(r, r.end);
}
export function encodeUpdateContainerResourcesRequest(m: Init<UpdateContainerResourcesRequest>): Uint8Array {
  const w = new Writer();
  writeUpdateContainerResourcesRequest(w, m);
  return w.finish();
}

export interface UpdateContainerResourcesResponse {
}
function readUpdateContainerResourcesResponse(r: Reader, end: number): UpdateContainerResourcesResponse {
  const m: UpdateContainerResourcesResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeUpdateContainerResourcesResponse(_w: Writer, _m: Init<UpdateContainerResourcesResponse>): void {
}
export function decodeUpdateContainerResourcesResponse(bytes: Uint8Array): UpdateContainerResourcesResponse {
  const r = new Reader(bytes);
  return readUpdateContainerResourcesResponse(r, r.end);
}
export function encodeUpdateContainerResourcesResponse(m: Init<UpdateContainerResourcesResponse>): Uint8Array {
  const w = new Writer();
  writeUpdateContainerResourcesResponse(w, m);
  return w.finish();
}

export interface ReopenContainerLogRequest {
  containerId: string;
}
function readReopenContainerLogRequest(r: Reader, end: number): ReopenContainerLogRequest {
  const m: ReopenContainerLogRequest = { containerId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeReopenContainerLogRequest(w: Writer, m: Init<ReopenContainerLogRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
}
export function decodeReopenContainerLogRequest(bytes: Uint8Array): ReopenContainerLogRequest {
  const r = new Reader(bytes);
  return readReopenContainerLogRequest(r, r.end);
}
export function encodeReopenContainerLogRequest(m: Init<ReopenContainerLogRequest>): Uint8Array {
  const w = new Writer();
  writeReopenContainerLogRequest(w, m);
  return w.finish();
}

export interface ReopenContainerLogResponse {
}
function readReopenContainerLogResponse(r: Reader, end: number): ReopenContainerLogResponse {
  const m: ReopenContainerLogResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeReopenContainerLogResponse(_w: Writer, _m: Init<ReopenContainerLogResponse>): void {
}
export function decodeReopenContainerLogResponse(bytes: Uint8Array): ReopenContainerLogResponse {
  const r = new Reader(bytes);
  return readReopenContainerLogResponse(r, r.end);
}
export function encodeReopenContainerLogResponse(m: Init<ReopenContainerLogResponse>): Uint8Array {
  const w = new Writer();
  writeReopenContainerLogResponse(w, m);
  return w.finish();
}

export interface CheckpointContainerRequest {
  containerId: string;
  location: string;
  timeout: number;
}
function readCheckpointContainerRequest(r: Reader, end: number): CheckpointContainerRequest {
  const m: CheckpointContainerRequest = { containerId: '', location: '', timeout: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 18: m.location = r.string(); break;
      case 24: m.timeout = r.int64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeCheckpointContainerRequest(w: Writer, m: Init<CheckpointContainerRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.location) w.string(18, m.location);
  if (m.timeout) w.int64(24, m.timeout);
}
export function decodeCheckpointContainerRequest(bytes: Uint8Array): CheckpointContainerRequest {
  const r = new Reader(bytes);
  return readCheckpointContainerRequest(r, r.end);
}
export function encodeCheckpointContainerRequest(m: Init<CheckpointContainerRequest>): Uint8Array {
  const w = new Writer();
  writeCheckpointContainerRequest(w, m);
  return w.finish();
}

export interface CheckpointContainerResponse {
}
function readCheckpointContainerResponse(r: Reader, end: number): CheckpointContainerResponse {
  const m: CheckpointContainerResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeCheckpointContainerResponse(_w: Writer, _m: Init<CheckpointContainerResponse>): void {
}
export function decodeCheckpointContainerResponse(bytes: Uint8Array): CheckpointContainerResponse {
  const r = new Reader(bytes);
  return readCheckpointContainerResponse(r, r.end);
}
export function encodeCheckpointContainerResponse(m: Init<CheckpointContainerResponse>): Uint8Array {
  const w = new Writer();
  writeCheckpointContainerResponse(w, m);
  return w.finish();
}

export interface ContainerStateValue {
  state: ContainerState;
}
function readContainerStateValue(r: Reader, end: number): ContainerStateValue {
  const m: ContainerStateValue = { state: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.state = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerStateValue(w: Writer, m: Init<ContainerStateValue>): void {
  if (m.state) w.int32(8, m.state);
}
export function decodeContainerStateValue(bytes: Uint8Array): ContainerStateValue {
  const r = new Reader(bytes);
  return readContainerStateValue(r, r.end);
}
export function encodeContainerStateValue(m: Init<ContainerStateValue>): Uint8Array {
  const w = new Writer();
  writeContainerStateValue(w, m);
  return w.finish();
}

export interface ContainerFilter {
  id: string;
  state: ContainerStateValue | undefined;
  podSandboxId: string;
  labelSelector: Record<string, string>;
}
function readContainerFilter(r: Reader, end: number): ContainerFilter {
  const m: ContainerFilter = { id: '', state: undefined, podSandboxId: '', labelSelector: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.state = readContainerStateValue(r, r.length()); break;
      case 26: m.podSandboxId = r.string(); break;
      case 34: r.stringEntry(m.labelSelector); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerFilter(w: Writer, m: Init<ContainerFilter>): void {
  if (m.id) w.string(10, m.id);
  if (m.state !== undefined) { const at = w.open(18); writeContainerStateValue(w, m.state); w.close(at); }
  if (m.podSandboxId) w.string(26, m.podSandboxId);
  if (m.labelSelector !== undefined) w.stringMap(34, m.labelSelector);
}
export function decodeContainerFilter(bytes: Uint8Array): ContainerFilter {
  const r = new Reader(bytes);
  return readContainerFilter(r, r.end);
}
export function encodeContainerFilter(m: Init<ContainerFilter>): Uint8Array {
  const w = new Writer();
  writeContainerFilter(w, m);
  return w.finish();
}

export interface ListContainersRequest {
  filter: ContainerFilter | undefined;
}
function readListContainersRequest(r: Reader, end: number): ListContainersRequest {
  const m: ListContainersRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readContainerFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListContainersRequest(w: Writer, m: Init<ListContainersRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writeContainerFilter(w, m.filter); w.close(at); }
}
export function decodeListContainersRequest(bytes: Uint8Array): ListContainersRequest {
  const r = new Reader(bytes);
  return readListContainersRequest(r, r.end);
}
export function encodeListContainersRequest(m: Init<ListContainersRequest>): Uint8Array {
  const w = new Writer();
  writeListContainersRequest(w, m);
  return w.finish();
}

export interface ListContainersResponse {
  containers: Container[];
}
function readListContainersResponse(r: Reader, end: number): ListContainersResponse {
  const m: ListContainersResponse = { containers: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containers.push(readContainer(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListContainersResponse(w: Writer, m: Init<ListContainersResponse>): void {
  if (m.containers !== undefined) for (const v of m.containers) { const at = w.open(10); writeContainer(w, v); w.close(at); }
}
export function decodeListContainersResponse(bytes: Uint8Array): ListContainersResponse {
  const r = new Reader(bytes);
  return readListContainersResponse(r, r.end);
}
export function encodeListContainersResponse(m: Init<ListContainersResponse>): Uint8Array {
  const w = new Writer();
  writeListContainersResponse(w, m);
  return w.finish();
}

export interface StreamContainersRequest {
  filter: ContainerFilter | undefined;
}
function readStreamContainersRequest(r: Reader, end: number): StreamContainersRequest {
  const m: StreamContainersRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readContainerFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamContainersRequest(w: Writer, m: Init<StreamContainersRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writeContainerFilter(w, m.filter); w.close(at); }
}
export function decodeStreamContainersRequest(bytes: Uint8Array): StreamContainersRequest {
  const r = new Reader(bytes);
  return readStreamContainersRequest(r, r.end);
}
export function encodeStreamContainersRequest(m: Init<StreamContainersRequest>): Uint8Array {
  const w = new Writer();
  writeStreamContainersRequest(w, m);
  return w.finish();
}

export interface StreamContainersResponse {
  containers: Container[];
}
function readStreamContainersResponse(r: Reader, end: number): StreamContainersResponse {
  const m: StreamContainersResponse = { containers: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containers.push(readContainer(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamContainersResponse(w: Writer, m: Init<StreamContainersResponse>): void {
  if (m.containers !== undefined) for (const v of m.containers) { const at = w.open(10); writeContainer(w, v); w.close(at); }
}
export function decodeStreamContainersResponse(bytes: Uint8Array): StreamContainersResponse {
  const r = new Reader(bytes);
  return readStreamContainersResponse(r, r.end);
}
export function encodeStreamContainersResponse(m: Init<StreamContainersResponse>): Uint8Array {
  const w = new Writer();
  writeStreamContainersResponse(w, m);
  return w.finish();
}

export interface Container {
  id: string;
  podSandboxId: string;
  metadata: ContainerMetadata | undefined;
  image: ImageSpec | undefined;
  imageRef: string;
  state: ContainerState;
  createdAt: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  imageId: string;
}
function readContainer(r: Reader, end: number): Container {
  const m: Container = { id: '', podSandboxId: '', metadata: undefined, image: undefined, imageRef: '', state: 0, createdAt: 0, labels: {}, annotations: {}, imageId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.podSandboxId = r.string(); break;
      case 26: m.metadata = readContainerMetadata(r, r.length()); break;
      case 34: m.image = readImageSpec(r, r.length()); break;
      case 42: m.imageRef = r.string(); break;
      case 48: m.state = r.int32(); break;
      case 56: m.createdAt = r.int64(); break;
      case 66: r.stringEntry(m.labels); break;
      case 74: r.stringEntry(m.annotations); break;
      case 82: m.imageId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainer(w: Writer, m: Init<Container>): void {
  if (m.id) w.string(10, m.id);
  if (m.podSandboxId) w.string(18, m.podSandboxId);
  if (m.metadata !== undefined) { const at = w.open(26); writeContainerMetadata(w, m.metadata); w.close(at); }
  if (m.image !== undefined) { const at = w.open(34); writeImageSpec(w, m.image); w.close(at); }
  if (m.imageRef) w.string(42, m.imageRef);
  if (m.state) w.int32(48, m.state);
  if (m.createdAt) w.int64(56, m.createdAt);
  if (m.labels !== undefined) w.stringMap(66, m.labels);
  if (m.annotations !== undefined) w.stringMap(74, m.annotations);
  if (m.imageId) w.string(82, m.imageId);
}
export function decodeContainer(bytes: Uint8Array): Container {
  const r = new Reader(bytes);
  return readContainer(r, r.end);
}
export function encodeContainer(m: Init<Container>): Uint8Array {
  const w = new Writer();
  writeContainer(w, m);
  return w.finish();
}

export interface ContainerStatusRequest {
  containerId: string;
  verbose: boolean;
}
function readContainerStatusRequest(r: Reader, end: number): ContainerStatusRequest {
  const m: ContainerStatusRequest = { containerId: '', verbose: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 16: m.verbose = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerStatusRequest(w: Writer, m: Init<ContainerStatusRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.verbose) w.bool(16, m.verbose);
}
export function decodeContainerStatusRequest(bytes: Uint8Array): ContainerStatusRequest {
  const r = new Reader(bytes);
  return readContainerStatusRequest(r, r.end);
}
export function encodeContainerStatusRequest(m: Init<ContainerStatusRequest>): Uint8Array {
  const w = new Writer();
  writeContainerStatusRequest(w, m);
  return w.finish();
}

export interface ContainerStatusResponse {
  status: ContainerStatus | undefined;
  info: Record<string, string>;
}
function readContainerStatusResponse(r: Reader, end: number): ContainerStatusResponse {
  const m: ContainerStatusResponse = { status: undefined, info: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.status = readContainerStatus(r, r.length()); break;
      case 18: r.stringEntry(m.info); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerStatusResponse(w: Writer, m: Init<ContainerStatusResponse>): void {
  if (m.status !== undefined) { const at = w.open(10); writeContainerStatus(w, m.status); w.close(at); }
  if (m.info !== undefined) w.stringMap(18, m.info);
}
export function decodeContainerStatusResponse(bytes: Uint8Array): ContainerStatusResponse {
  const r = new Reader(bytes);
  return readContainerStatusResponse(r, r.end);
}
export function encodeContainerStatusResponse(m: Init<ContainerStatusResponse>): Uint8Array {
  const w = new Writer();
  writeContainerStatusResponse(w, m);
  return w.finish();
}

export interface ContainerStatus {
  id: string;
  metadata: ContainerMetadata | undefined;
  state: ContainerState;
  createdAt: number;
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  image: ImageSpec | undefined;
  imageRef: string;
  reason: string;
  message: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  mounts: Mount[];
  logPath: string;
  resources: ContainerResources | undefined;
  imageId: string;
  user: ContainerUser | undefined;
  stopSignal: Signal;
}
function readContainerStatus(r: Reader, end: number): ContainerStatus {
  const m: ContainerStatus = { id: '', metadata: undefined, state: 0, createdAt: 0, startedAt: 0, finishedAt: 0, exitCode: 0, image: undefined, imageRef: '', reason: '', message: '', labels: {}, annotations: {}, mounts: [], logPath: '', resources: undefined, imageId: '', user: undefined, stopSignal: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.metadata = readContainerMetadata(r, r.length()); break;
      case 24: m.state = r.int32(); break;
      case 32: m.createdAt = r.int64(); break;
      case 40: m.startedAt = r.int64(); break;
      case 48: m.finishedAt = r.int64(); break;
      case 56: m.exitCode = r.int32(); break;
      case 66: m.image = readImageSpec(r, r.length()); break;
      case 74: m.imageRef = r.string(); break;
      case 82: m.reason = r.string(); break;
      case 90: m.message = r.string(); break;
      case 98: r.stringEntry(m.labels); break;
      case 106: r.stringEntry(m.annotations); break;
      case 114: m.mounts.push(readMount(r, r.length())); break;
      case 122: m.logPath = r.string(); break;
      case 130: m.resources = readContainerResources(r, r.length()); break;
      case 138: m.imageId = r.string(); break;
      case 146: m.user = readContainerUser(r, r.length()); break;
      case 152: m.stopSignal = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerStatus(w: Writer, m: Init<ContainerStatus>): void {
  if (m.id) w.string(10, m.id);
  if (m.metadata !== undefined) { const at = w.open(18); writeContainerMetadata(w, m.metadata); w.close(at); }
  if (m.state) w.int32(24, m.state);
  if (m.createdAt) w.int64(32, m.createdAt);
  if (m.startedAt) w.int64(40, m.startedAt);
  if (m.finishedAt) w.int64(48, m.finishedAt);
  if (m.exitCode) w.int32(56, m.exitCode);
  if (m.image !== undefined) { const at = w.open(66); writeImageSpec(w, m.image); w.close(at); }
  if (m.imageRef) w.string(74, m.imageRef);
  if (m.reason) w.string(82, m.reason);
  if (m.message) w.string(90, m.message);
  if (m.labels !== undefined) w.stringMap(98, m.labels);
  if (m.annotations !== undefined) w.stringMap(106, m.annotations);
  if (m.mounts !== undefined) for (const v of m.mounts) { const at = w.open(114); writeMount(w, v); w.close(at); }
  if (m.logPath) w.string(122, m.logPath);
  if (m.resources !== undefined) { const at = w.open(130); writeContainerResources(w, m.resources); w.close(at); }
  if (m.imageId) w.string(138, m.imageId);
  if (m.user !== undefined) { const at = w.open(146); writeContainerUser(w, m.user); w.close(at); }
  if (m.stopSignal) w.int32(152, m.stopSignal);
}
export function decodeContainerStatus(bytes: Uint8Array): ContainerStatus {
  const r = new Reader(bytes);
  return readContainerStatus(r, r.end);
}
export function encodeContainerStatus(m: Init<ContainerStatus>): Uint8Array {
  const w = new Writer();
  writeContainerStatus(w, m);
  return w.finish();
}

export interface ContainerResources {
  linux: LinuxContainerResources | undefined;
  windows: WindowsContainerResources | undefined;
}
function readContainerResources(r: Reader, end: number): ContainerResources {
  const m: ContainerResources = { linux: undefined, windows: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.linux = readLinuxContainerResources(r, r.length()); break;
      case 18: m.windows = readWindowsContainerResources(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerResources(w: Writer, m: Init<ContainerResources>): void {
  if (m.linux !== undefined) { const at = w.open(10); writeLinuxContainerResources(w, m.linux); w.close(at); }
  if (m.windows !== undefined) { const at = w.open(18); writeWindowsContainerResources(w, m.windows); w.close(at); }
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

export interface ExecSyncRequest {
  containerId: string;
  cmd: string[];
  timeout: number;
}
function readExecSyncRequest(r: Reader, end: number): ExecSyncRequest {
  const m: ExecSyncRequest = { containerId: '', cmd: [], timeout: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 18: m.cmd.push(r.string()); break;
      case 24: m.timeout = r.int64(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeExecSyncRequest(w: Writer, m: Init<ExecSyncRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.cmd !== undefined) for (const v of m.cmd) w.string(18, v);
  if (m.timeout) w.int64(24, m.timeout);
}
export function decodeExecSyncRequest(bytes: Uint8Array): ExecSyncRequest {
  const r = new Reader(bytes);
  return readExecSyncRequest(r, r.end);
}
export function encodeExecSyncRequest(m: Init<ExecSyncRequest>): Uint8Array {
  const w = new Writer();
  writeExecSyncRequest(w, m);
  return w.finish();
}

export interface ExecSyncResponse {
  stdout: Uint8Array;
  stderr: Uint8Array;
  exitCode: number;
}
function readExecSyncResponse(r: Reader, end: number): ExecSyncResponse {
  const m: ExecSyncResponse = { stdout: new Uint8Array(0), stderr: new Uint8Array(0), exitCode: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.stdout = r.bytes(); break;
      case 18: m.stderr = r.bytes(); break;
      case 24: m.exitCode = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeExecSyncResponse(w: Writer, m: Init<ExecSyncResponse>): void {
  if (m.stdout?.byteLength) w.bytes(10, m.stdout);
  if (m.stderr?.byteLength) w.bytes(18, m.stderr);
  if (m.exitCode) w.int32(24, m.exitCode);
}
export function decodeExecSyncResponse(bytes: Uint8Array): ExecSyncResponse {
  const r = new Reader(bytes);
  return readExecSyncResponse(r, r.end);
}
export function encodeExecSyncResponse(m: Init<ExecSyncResponse>): Uint8Array {
  const w = new Writer();
  writeExecSyncResponse(w, m);
  return w.finish();
}

export interface ExecRequest {
  containerId: string;
  cmd: string[];
  tty: boolean;
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}
function readExecRequest(r: Reader, end: number): ExecRequest {
  const m: ExecRequest = { containerId: '', cmd: [], tty: false, stdin: false, stdout: false, stderr: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 18: m.cmd.push(r.string()); break;
      case 24: m.tty = r.bool(); break;
      case 32: m.stdin = r.bool(); break;
      case 40: m.stdout = r.bool(); break;
      case 48: m.stderr = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeExecRequest(w: Writer, m: Init<ExecRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.cmd !== undefined) for (const v of m.cmd) w.string(18, v);
  if (m.tty) w.bool(24, m.tty);
  if (m.stdin) w.bool(32, m.stdin);
  if (m.stdout) w.bool(40, m.stdout);
  if (m.stderr) w.bool(48, m.stderr);
}
export function decodeExecRequest(bytes: Uint8Array): ExecRequest {
  const r = new Reader(bytes);
  return readExecRequest(r, r.end);
}
export function encodeExecRequest(m: Init<ExecRequest>): Uint8Array {
  const w = new Writer();
  writeExecRequest(w, m);
  return w.finish();
}

export interface ExecResponse {
  url: string;
}
function readExecResponse(r: Reader, end: number): ExecResponse {
  const m: ExecResponse = { url: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.url = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeExecResponse(w: Writer, m: Init<ExecResponse>): void {
  if (m.url) w.string(10, m.url);
}
export function decodeExecResponse(bytes: Uint8Array): ExecResponse {
  const r = new Reader(bytes);
  return readExecResponse(r, r.end);
}
export function encodeExecResponse(m: Init<ExecResponse>): Uint8Array {
  const w = new Writer();
  writeExecResponse(w, m);
  return w.finish();
}

export interface AttachRequest {
  containerId: string;
  stdin: boolean;
  tty: boolean;
  stdout: boolean;
  stderr: boolean;
}
function readAttachRequest(r: Reader, end: number): AttachRequest {
  const m: AttachRequest = { containerId: '', stdin: false, tty: false, stdout: false, stderr: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 16: m.stdin = r.bool(); break;
      case 24: m.tty = r.bool(); break;
      case 32: m.stdout = r.bool(); break;
      case 40: m.stderr = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeAttachRequest(w: Writer, m: Init<AttachRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.stdin) w.bool(16, m.stdin);
  if (m.tty) w.bool(24, m.tty);
  if (m.stdout) w.bool(32, m.stdout);
  if (m.stderr) w.bool(40, m.stderr);
}
export function decodeAttachRequest(bytes: Uint8Array): AttachRequest {
  const r = new Reader(bytes);
  return readAttachRequest(r, r.end);
}
export function encodeAttachRequest(m: Init<AttachRequest>): Uint8Array {
  const w = new Writer();
  writeAttachRequest(w, m);
  return w.finish();
}

export interface AttachResponse {
  url: string;
}
function readAttachResponse(r: Reader, end: number): AttachResponse {
  const m: AttachResponse = { url: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.url = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeAttachResponse(w: Writer, m: Init<AttachResponse>): void {
  if (m.url) w.string(10, m.url);
}
export function decodeAttachResponse(bytes: Uint8Array): AttachResponse {
  const r = new Reader(bytes);
  return readAttachResponse(r, r.end);
}
export function encodeAttachResponse(m: Init<AttachResponse>): Uint8Array {
  const w = new Writer();
  writeAttachResponse(w, m);
  return w.finish();
}

export interface PortForwardRequest {
  podSandboxId: string;
  port: number[];
}
function readPortForwardRequest(r: Reader, end: number): PortForwardRequest {
  const m: PortForwardRequest = { podSandboxId: '', port: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      case 16: m.port.push(r.int32()); break;
      case 18: { const e = r.length(); while (r.pos < e) m.port.push(r.int32()); r.finish(e); break; }
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePortForwardRequest(w: Writer, m: Init<PortForwardRequest>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
  if (m.port !== undefined) for (const v of m.port) w.int32(16, v);
}
export function decodePortForwardRequest(bytes: Uint8Array): PortForwardRequest {
  const r = new Reader(bytes);
  return readPortForwardRequest(r, r.end);
}
export function encodePortForwardRequest(m: Init<PortForwardRequest>): Uint8Array {
  const w = new Writer();
  writePortForwardRequest(w, m);
  return w.finish();
}

export interface PortForwardResponse {
  url: string;
}
function readPortForwardResponse(r: Reader, end: number): PortForwardResponse {
  const m: PortForwardResponse = { url: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.url = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePortForwardResponse(w: Writer, m: Init<PortForwardResponse>): void {
  if (m.url) w.string(10, m.url);
}
export function decodePortForwardResponse(bytes: Uint8Array): PortForwardResponse {
  const r = new Reader(bytes);
  return readPortForwardResponse(r, r.end);
}
export function encodePortForwardResponse(m: Init<PortForwardResponse>): Uint8Array {
  const w = new Writer();
  writePortForwardResponse(w, m);
  return w.finish();
}

export interface GetEventsRequest {
}
function readGetEventsRequest(r: Reader, end: number): GetEventsRequest {
  const m: GetEventsRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeGetEventsRequest(_w: Writer, _m: Init<GetEventsRequest>): void {
}
export function decodeGetEventsRequest(bytes: Uint8Array): GetEventsRequest {
  const r = new Reader(bytes);
  return readGetEventsRequest(r, r.end);
}
export function encodeGetEventsRequest(m: Init<GetEventsRequest>): Uint8Array {
  const w = new Writer();
  writeGetEventsRequest(w, m);
  return w.finish();
}

export interface ContainerEventResponse {
  containerId: string;
  containerEventType: ContainerEventType;
  createdAt: number;
  podSandboxStatus: PodSandboxStatus | undefined;
}
function readContainerEventResponse(r: Reader, end: number): ContainerEventResponse {
  const m: ContainerEventResponse = { containerId: '', containerEventType: 0, createdAt: 0, podSandboxStatus: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 16: m.containerEventType = r.int32(); break;
      case 24: m.createdAt = r.int64(); break;
      case 34: m.podSandboxStatus = readPodSandboxStatus(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerEventResponse(w: Writer, m: Init<ContainerEventResponse>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.containerEventType) w.int32(16, m.containerEventType);
  if (m.createdAt) w.int64(24, m.createdAt);
  if (m.podSandboxStatus !== undefined) { const at = w.open(34); writePodSandboxStatus(w, m.podSandboxStatus); w.close(at); }
}
export function decodeContainerEventResponse(bytes: Uint8Array): ContainerEventResponse {
  const r = new Reader(bytes);
  return readContainerEventResponse(r, r.end);
}
export function encodeContainerEventResponse(m: Init<ContainerEventResponse>): Uint8Array {
  const w = new Writer();
  writeContainerEventResponse(w, m);
  return w.finish();
}

export interface ImageFilter {
  image: ImageSpec | undefined;
}
function readImageFilter(r: Reader, end: number): ImageFilter {
  const m: ImageFilter = { image: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.image = readImageSpec(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeImageFilter(w: Writer, m: Init<ImageFilter>): void {
  if (m.image !== undefined) { const at = w.open(10); writeImageSpec(w, m.image); w.close(at); }
}
export function decodeImageFilter(bytes: Uint8Array): ImageFilter {
  const r = new Reader(bytes);
  return readImageFilter(r, r.end);
}
export function encodeImageFilter(m: Init<ImageFilter>): Uint8Array {
  const w = new Writer();
  writeImageFilter(w, m);
  return w.finish();
}

export interface ListImagesRequest {
  filter: ImageFilter | undefined;
}
function readListImagesRequest(r: Reader, end: number): ListImagesRequest {
  const m: ListImagesRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readImageFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListImagesRequest(w: Writer, m: Init<ListImagesRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writeImageFilter(w, m.filter); w.close(at); }
}
export function decodeListImagesRequest(bytes: Uint8Array): ListImagesRequest {
  const r = new Reader(bytes);
  return readListImagesRequest(r, r.end);
}
export function encodeListImagesRequest(m: Init<ListImagesRequest>): Uint8Array {
  const w = new Writer();
  writeListImagesRequest(w, m);
  return w.finish();
}

export interface ListImagesResponse {
  images: Image[];
}
function readListImagesResponse(r: Reader, end: number): ListImagesResponse {
  const m: ListImagesResponse = { images: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.images.push(readImage(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListImagesResponse(w: Writer, m: Init<ListImagesResponse>): void {
  if (m.images !== undefined) for (const v of m.images) { const at = w.open(10); writeImage(w, v); w.close(at); }
}
export function decodeListImagesResponse(bytes: Uint8Array): ListImagesResponse {
  const r = new Reader(bytes);
  return readListImagesResponse(r, r.end);
}
export function encodeListImagesResponse(m: Init<ListImagesResponse>): Uint8Array {
  const w = new Writer();
  writeListImagesResponse(w, m);
  return w.finish();
}

export interface StreamImagesRequest {
  filter: ImageFilter | undefined;
}
function readStreamImagesRequest(r: Reader, end: number): StreamImagesRequest {
  const m: StreamImagesRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readImageFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamImagesRequest(w: Writer, m: Init<StreamImagesRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writeImageFilter(w, m.filter); w.close(at); }
}
export function decodeStreamImagesRequest(bytes: Uint8Array): StreamImagesRequest {
  const r = new Reader(bytes);
  return readStreamImagesRequest(r, r.end);
}
export function encodeStreamImagesRequest(m: Init<StreamImagesRequest>): Uint8Array {
  const w = new Writer();
  writeStreamImagesRequest(w, m);
  return w.finish();
}

export interface StreamImagesResponse {
  images: Image[];
}
function readStreamImagesResponse(r: Reader, end: number): StreamImagesResponse {
  const m: StreamImagesResponse = { images: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.images.push(readImage(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamImagesResponse(w: Writer, m: Init<StreamImagesResponse>): void {
  if (m.images !== undefined) for (const v of m.images) { const at = w.open(10); writeImage(w, v); w.close(at); }
}
export function decodeStreamImagesResponse(bytes: Uint8Array): StreamImagesResponse {
  const r = new Reader(bytes);
  return readStreamImagesResponse(r, r.end);
}
export function encodeStreamImagesResponse(m: Init<StreamImagesResponse>): Uint8Array {
  const w = new Writer();
  writeStreamImagesResponse(w, m);
  return w.finish();
}

export interface Image {
  id: string;
  repoTags: string[];
  repoDigests: string[];
  size: number;
  uid: Int64Value | undefined;
  username: string;
  spec: ImageSpec | undefined;
  pinned: boolean;
}
function readImage(r: Reader, end: number): Image {
  const m: Image = { id: '', repoTags: [], repoDigests: [], size: 0, uid: undefined, username: '', spec: undefined, pinned: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.repoTags.push(r.string()); break;
      case 26: m.repoDigests.push(r.string()); break;
      case 32: m.size = r.uint64(); break;
      case 42: m.uid = readInt64Value(r, r.length()); break;
      case 50: m.username = r.string(); break;
      case 58: m.spec = readImageSpec(r, r.length()); break;
      case 64: m.pinned = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeImage(w: Writer, m: Init<Image>): void {
  if (m.id) w.string(10, m.id);
  if (m.repoTags !== undefined) for (const v of m.repoTags) w.string(18, v);
  if (m.repoDigests !== undefined) for (const v of m.repoDigests) w.string(26, v);
  if (m.size) w.uint64(32, m.size);
  if (m.uid !== undefined) { const at = w.open(42); writeInt64Value(w, m.uid); w.close(at); }
  if (m.username) w.string(50, m.username);
  if (m.spec !== undefined) { const at = w.open(58); writeImageSpec(w, m.spec); w.close(at); }
  if (m.pinned) w.bool(64, m.pinned);
}
export function decodeImage(bytes: Uint8Array): Image {
  const r = new Reader(bytes);
  return readImage(r, r.end);
}
export function encodeImage(m: Init<Image>): Uint8Array {
  const w = new Writer();
  writeImage(w, m);
  return w.finish();
}

export interface ImageStatusRequest {
  image: ImageSpec | undefined;
  verbose: boolean;
}
function readImageStatusRequest(r: Reader, end: number): ImageStatusRequest {
  const m: ImageStatusRequest = { image: undefined, verbose: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.image = readImageSpec(r, r.length()); break;
      case 16: m.verbose = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeImageStatusRequest(w: Writer, m: Init<ImageStatusRequest>): void {
  if (m.image !== undefined) { const at = w.open(10); writeImageSpec(w, m.image); w.close(at); }
  if (m.verbose) w.bool(16, m.verbose);
}
export function decodeImageStatusRequest(bytes: Uint8Array): ImageStatusRequest {
  const r = new Reader(bytes);
  return readImageStatusRequest(r, r.end);
}
export function encodeImageStatusRequest(m: Init<ImageStatusRequest>): Uint8Array {
  const w = new Writer();
  writeImageStatusRequest(w, m);
  return w.finish();
}

export interface ImageStatusResponse {
  image: Image | undefined;
  info: Record<string, string>;
}
function readImageStatusResponse(r: Reader, end: number): ImageStatusResponse {
  const m: ImageStatusResponse = { image: undefined, info: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.image = readImage(r, r.length()); break;
      case 18: r.stringEntry(m.info); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeImageStatusResponse(w: Writer, m: Init<ImageStatusResponse>): void {
  if (m.image !== undefined) { const at = w.open(10); writeImage(w, m.image); w.close(at); }
  if (m.info !== undefined) w.stringMap(18, m.info);
}
export function decodeImageStatusResponse(bytes: Uint8Array): ImageStatusResponse {
  const r = new Reader(bytes);
  return readImageStatusResponse(r, r.end);
}
export function encodeImageStatusResponse(m: Init<ImageStatusResponse>): Uint8Array {
  const w = new Writer();
  writeImageStatusResponse(w, m);
  return w.finish();
}

export interface AuthConfig {
  username: string;
  password: string;
  auth: string;
  serverAddress: string;
  identityToken: string;
  registryToken: string;
}
function readAuthConfig(r: Reader, end: number): AuthConfig {
  const m: AuthConfig = { username: '', password: '', auth: '', serverAddress: '', identityToken: '', registryToken: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.username = r.string(); break;
      case 18: m.password = r.string(); break;
      case 26: m.auth = r.string(); break;
      case 34: m.serverAddress = r.string(); break;
      case 42: m.identityToken = r.string(); break;
      case 50: m.registryToken = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeAuthConfig(w: Writer, m: Init<AuthConfig>): void {
  if (m.username) w.string(10, m.username);
  if (m.password) w.string(18, m.password);
  if (m.auth) w.string(26, m.auth);
  if (m.serverAddress) w.string(34, m.serverAddress);
  if (m.identityToken) w.string(42, m.identityToken);
  if (m.registryToken) w.string(50, m.registryToken);
}
export function decodeAuthConfig(bytes: Uint8Array): AuthConfig {
  const r = new Reader(bytes);
  return readAuthConfig(r, r.end);
}
export function encodeAuthConfig(m: Init<AuthConfig>): Uint8Array {
  const w = new Writer();
  writeAuthConfig(w, m);
  return w.finish();
}

export interface PullImageRequest {
  image: ImageSpec | undefined;
  auth: AuthConfig | undefined;
  sandboxConfig: PodSandboxConfig | undefined;
}
function readPullImageRequest(r: Reader, end: number): PullImageRequest {
  const m: PullImageRequest = { image: undefined, auth: undefined, sandboxConfig: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.image = readImageSpec(r, r.length()); break;
      case 18: m.auth = readAuthConfig(r, r.length()); break;
      case 26: m.sandboxConfig = readPodSandboxConfig(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePullImageRequest(w: Writer, m: Init<PullImageRequest>): void {
  if (m.image !== undefined) { const at = w.open(10); writeImageSpec(w, m.image); w.close(at); }
  if (m.auth !== undefined) { const at = w.open(18); writeAuthConfig(w, m.auth); w.close(at); }
  if (m.sandboxConfig !== undefined) { const at = w.open(26); writePodSandboxConfig(w, m.sandboxConfig); w.close(at); }
}
export function decodePullImageRequest(bytes: Uint8Array): PullImageRequest {
  const r = new Reader(bytes);
  return readPullImageRequest(r, r.end);
}
export function encodePullImageRequest(m: Init<PullImageRequest>): Uint8Array {
  const w = new Writer();
  writePullImageRequest(w, m);
  return w.finish();
}

export interface PullImageResponse {
  imageRef: string;
}
function readPullImageResponse(r: Reader, end: number): PullImageResponse {
  const m: PullImageResponse = { imageRef: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.imageRef = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePullImageResponse(w: Writer, m: Init<PullImageResponse>): void {
  if (m.imageRef) w.string(10, m.imageRef);
}
export function decodePullImageResponse(bytes: Uint8Array): PullImageResponse {
  const r = new Reader(bytes);
  return readPullImageResponse(r, r.end);
}
export function encodePullImageResponse(m: Init<PullImageResponse>): Uint8Array {
  const w = new Writer();
  writePullImageResponse(w, m);
  return w.finish();
}

export interface RemoveImageRequest {
  image: ImageSpec | undefined;
}
function readRemoveImageRequest(r: Reader, end: number): RemoveImageRequest {
  const m: RemoveImageRequest = { image: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.image = readImageSpec(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeRemoveImageRequest(w: Writer, m: Init<RemoveImageRequest>): void {
  if (m.image !== undefined) { const at = w.open(10); writeImageSpec(w, m.image); w.close(at); }
}
export function decodeRemoveImageRequest(bytes: Uint8Array): RemoveImageRequest {
  const r = new Reader(bytes);
  return readRemoveImageRequest(r, r.end);
}
export function encodeRemoveImageRequest(m: Init<RemoveImageRequest>): Uint8Array {
  const w = new Writer();
  writeRemoveImageRequest(w, m);
  return w.finish();
}

export interface RemoveImageResponse {
}
function readRemoveImageResponse(r: Reader, end: number): RemoveImageResponse {
  const m: RemoveImageResponse = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeRemoveImageResponse(_w: Writer, _m: Init<RemoveImageResponse>): void {
}
export function decodeRemoveImageResponse(bytes: Uint8Array): RemoveImageResponse {
  const r = new Reader(bytes);
  return readRemoveImageResponse(r, r.end);
}
export function encodeRemoveImageResponse(m: Init<RemoveImageResponse>): Uint8Array {
  const w = new Writer();
  writeRemoveImageResponse(w, m);
  return w.finish();
}

export interface ImageFsInfoRequest {
}
function readImageFsInfoRequest(r: Reader, end: number): ImageFsInfoRequest {
  const m: ImageFsInfoRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeImageFsInfoRequest(_w: Writer, _m: Init<ImageFsInfoRequest>): void {
}
export function decodeImageFsInfoRequest(bytes: Uint8Array): ImageFsInfoRequest {
  const r = new Reader(bytes);
  return readImageFsInfoRequest(r, r.end);
}
export function encodeImageFsInfoRequest(m: Init<ImageFsInfoRequest>): Uint8Array {
  const w = new Writer();
  writeImageFsInfoRequest(w, m);
  return w.finish();
}

export interface ImageFsInfoResponse {
  imageFilesystems: FilesystemUsage[];
  containerFilesystems: FilesystemUsage[];
}
function readImageFsInfoResponse(r: Reader, end: number): ImageFsInfoResponse {
  const m: ImageFsInfoResponse = { imageFilesystems: [], containerFilesystems: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.imageFilesystems.push(readFilesystemUsage(r, r.length())); break;
      case 18: m.containerFilesystems.push(readFilesystemUsage(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeImageFsInfoResponse(w: Writer, m: Init<ImageFsInfoResponse>): void {
  if (m.imageFilesystems !== undefined) for (const v of m.imageFilesystems) { const at = w.open(10); writeFilesystemUsage(w, v); w.close(at); }
  if (m.containerFilesystems !== undefined) for (const v of m.containerFilesystems) { const at = w.open(18); writeFilesystemUsage(w, v); w.close(at); }
}
export function decodeImageFsInfoResponse(bytes: Uint8Array): ImageFsInfoResponse {
  const r = new Reader(bytes);
  return readImageFsInfoResponse(r, r.end);
}
export function encodeImageFsInfoResponse(m: Init<ImageFsInfoResponse>): Uint8Array {
  const w = new Writer();
  writeImageFsInfoResponse(w, m);
  return w.finish();
}

export interface FilesystemIdentifier {
  mountpoint: string;
}
function readFilesystemIdentifier(r: Reader, end: number): FilesystemIdentifier {
  const m: FilesystemIdentifier = { mountpoint: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.mountpoint = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeFilesystemIdentifier(w: Writer, m: Init<FilesystemIdentifier>): void {
  if (m.mountpoint) w.string(10, m.mountpoint);
}
export function decodeFilesystemIdentifier(bytes: Uint8Array): FilesystemIdentifier {
  const r = new Reader(bytes);
  return readFilesystemIdentifier(r, r.end);
}
export function encodeFilesystemIdentifier(m: Init<FilesystemIdentifier>): Uint8Array {
  const w = new Writer();
  writeFilesystemIdentifier(w, m);
  return w.finish();
}

export interface FilesystemUsage {
  timestamp: number;
  fsId: FilesystemIdentifier | undefined;
  usedBytes: UInt64Value | undefined;
  inodesUsed: UInt64Value | undefined;
}
function readFilesystemUsage(r: Reader, end: number): FilesystemUsage {
  const m: FilesystemUsage = { timestamp: 0, fsId: undefined, usedBytes: undefined, inodesUsed: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.fsId = readFilesystemIdentifier(r, r.length()); break;
      case 26: m.usedBytes = readUInt64Value(r, r.length()); break;
      case 34: m.inodesUsed = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeFilesystemUsage(w: Writer, m: Init<FilesystemUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.fsId !== undefined) { const at = w.open(18); writeFilesystemIdentifier(w, m.fsId); w.close(at); }
  if (m.usedBytes !== undefined) { const at = w.open(26); writeUInt64Value(w, m.usedBytes); w.close(at); }
  if (m.inodesUsed !== undefined) { const at = w.open(34); writeUInt64Value(w, m.inodesUsed); w.close(at); }
}
export function decodeFilesystemUsage(bytes: Uint8Array): FilesystemUsage {
  const r = new Reader(bytes);
  return readFilesystemUsage(r, r.end);
}
export function encodeFilesystemUsage(m: Init<FilesystemUsage>): Uint8Array {
  const w = new Writer();
  writeFilesystemUsage(w, m);
  return w.finish();
}

export interface ContainerStatsRequest {
  containerId: string;
}
function readContainerStatsRequest(r: Reader, end: number): ContainerStatsRequest {
  const m: ContainerStatsRequest = { containerId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerStatsRequest(w: Writer, m: Init<ContainerStatsRequest>): void {
  if (m.containerId) w.string(10, m.containerId);
}
export function decodeContainerStatsRequest(bytes: Uint8Array): ContainerStatsRequest {
  const r = new Reader(bytes);
  return readContainerStatsRequest(r, r.end);
}
export function encodeContainerStatsRequest(m: Init<ContainerStatsRequest>): Uint8Array {
  const w = new Writer();
  writeContainerStatsRequest(w, m);
  return w.finish();
}

export interface ContainerStatsResponse {
  stats: ContainerStats | undefined;
}
function readContainerStatsResponse(r: Reader, end: number): ContainerStatsResponse {
  const m: ContainerStatsResponse = { stats: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.stats = readContainerStats(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerStatsResponse(w: Writer, m: Init<ContainerStatsResponse>): void {
  if (m.stats !== undefined) { const at = w.open(10); writeContainerStats(w, m.stats); w.close(at); }
}
export function decodeContainerStatsResponse(bytes: Uint8Array): ContainerStatsResponse {
  const r = new Reader(bytes);
  return readContainerStatsResponse(r, r.end);
}
export function encodeContainerStatsResponse(m: Init<ContainerStatsResponse>): Uint8Array {
  const w = new Writer();
  writeContainerStatsResponse(w, m);
  return w.finish();
}

export interface ContainerStatsFilter {
  id: string;
  podSandboxId: string;
  labelSelector: Record<string, string>;
}
function readContainerStatsFilter(r: Reader, end: number): ContainerStatsFilter {
  const m: ContainerStatsFilter = { id: '', podSandboxId: '', labelSelector: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.podSandboxId = r.string(); break;
      case 26: r.stringEntry(m.labelSelector); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerStatsFilter(w: Writer, m: Init<ContainerStatsFilter>): void {
  if (m.id) w.string(10, m.id);
  if (m.podSandboxId) w.string(18, m.podSandboxId);
  if (m.labelSelector !== undefined) w.stringMap(26, m.labelSelector);
}
export function decodeContainerStatsFilter(bytes: Uint8Array): ContainerStatsFilter {
  const r = new Reader(bytes);
  return readContainerStatsFilter(r, r.end);
}
export function encodeContainerStatsFilter(m: Init<ContainerStatsFilter>): Uint8Array {
  const w = new Writer();
  writeContainerStatsFilter(w, m);
  return w.finish();
}

export interface ListContainerStatsRequest {
  filter: ContainerStatsFilter | undefined;
}
function readListContainerStatsRequest(r: Reader, end: number): ListContainerStatsRequest {
  const m: ListContainerStatsRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readContainerStatsFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListContainerStatsRequest(w: Writer, m: Init<ListContainerStatsRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writeContainerStatsFilter(w, m.filter); w.close(at); }
}
export function decodeListContainerStatsRequest(bytes: Uint8Array): ListContainerStatsRequest {
  const r = new Reader(bytes);
  return readListContainerStatsRequest(r, r.end);
}
export function encodeListContainerStatsRequest(m: Init<ListContainerStatsRequest>): Uint8Array {
  const w = new Writer();
  writeListContainerStatsRequest(w, m);
  return w.finish();
}

export interface ListContainerStatsResponse {
  stats: ContainerStats[];
}
function readListContainerStatsResponse(r: Reader, end: number): ListContainerStatsResponse {
  const m: ListContainerStatsResponse = { stats: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.stats.push(readContainerStats(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListContainerStatsResponse(w: Writer, m: Init<ListContainerStatsResponse>): void {
  if (m.stats !== undefined) for (const v of m.stats) { const at = w.open(10); writeContainerStats(w, v); w.close(at); }
}
export function decodeListContainerStatsResponse(bytes: Uint8Array): ListContainerStatsResponse {
  const r = new Reader(bytes);
  return readListContainerStatsResponse(r, r.end);
}
export function encodeListContainerStatsResponse(m: Init<ListContainerStatsResponse>): Uint8Array {
  const w = new Writer();
  writeListContainerStatsResponse(w, m);
  return w.finish();
}

export interface StreamContainerStatsRequest {
  filter: ContainerStatsFilter | undefined;
}
function readStreamContainerStatsRequest(r: Reader, end: number): StreamContainerStatsRequest {
  const m: StreamContainerStatsRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readContainerStatsFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamContainerStatsRequest(w: Writer, m: Init<StreamContainerStatsRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writeContainerStatsFilter(w, m.filter); w.close(at); }
}
export function decodeStreamContainerStatsRequest(bytes: Uint8Array): StreamContainerStatsRequest {
  const r = new Reader(bytes);
  return readStreamContainerStatsRequest(r, r.end);
}
export function encodeStreamContainerStatsRequest(m: Init<StreamContainerStatsRequest>): Uint8Array {
  const w = new Writer();
  writeStreamContainerStatsRequest(w, m);
  return w.finish();
}

export interface StreamContainerStatsResponse {
  containerStats: ContainerStats[];
}
function readStreamContainerStatsResponse(r: Reader, end: number): StreamContainerStatsResponse {
  const m: StreamContainerStatsResponse = { containerStats: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerStats.push(readContainerStats(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamContainerStatsResponse(w: Writer, m: Init<StreamContainerStatsResponse>): void {
  if (m.containerStats !== undefined) for (const v of m.containerStats) { const at = w.open(10); writeContainerStats(w, v); w.close(at); }
}
export function decodeStreamContainerStatsResponse(bytes: Uint8Array): StreamContainerStatsResponse {
  const r = new Reader(bytes);
  return readStreamContainerStatsResponse(r, r.end);
}
export function encodeStreamContainerStatsResponse(m: Init<StreamContainerStatsResponse>): Uint8Array {
  const w = new Writer();
  writeStreamContainerStatsResponse(w, m);
  return w.finish();
}

export interface ContainerAttributes {
  id: string;
  metadata: ContainerMetadata | undefined;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
function readContainerAttributes(r: Reader, end: number): ContainerAttributes {
  const m: ContainerAttributes = { id: '', metadata: undefined, labels: {}, annotations: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.metadata = readContainerMetadata(r, r.length()); break;
      case 26: r.stringEntry(m.labels); break;
      case 34: r.stringEntry(m.annotations); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerAttributes(w: Writer, m: Init<ContainerAttributes>): void {
  if (m.id) w.string(10, m.id);
  if (m.metadata !== undefined) { const at = w.open(18); writeContainerMetadata(w, m.metadata); w.close(at); }
  if (m.labels !== undefined) w.stringMap(26, m.labels);
  if (m.annotations !== undefined) w.stringMap(34, m.annotations);
}
export function decodeContainerAttributes(bytes: Uint8Array): ContainerAttributes {
  const r = new Reader(bytes);
  return readContainerAttributes(r, r.end);
}
export function encodeContainerAttributes(m: Init<ContainerAttributes>): Uint8Array {
  const w = new Writer();
  writeContainerAttributes(w, m);
  return w.finish();
}

export interface ContainerStats {
  attributes: ContainerAttributes | undefined;
  cpu: CpuUsage | undefined;
  memory: MemoryUsage | undefined;
  writableLayer: FilesystemUsage | undefined;
  swap: SwapUsage | undefined;
  io: IoUsage | undefined;
}
function readContainerStats(r: Reader, end: number): ContainerStats {
  const m: ContainerStats = { attributes: undefined, cpu: undefined, memory: undefined, writableLayer: undefined, swap: undefined, io: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.attributes = readContainerAttributes(r, r.length()); break;
      case 18: m.cpu = readCpuUsage(r, r.length()); break;
      case 26: m.memory = readMemoryUsage(r, r.length()); break;
      case 34: m.writableLayer = readFilesystemUsage(r, r.length()); break;
      case 42: m.swap = readSwapUsage(r, r.length()); break;
      case 50: m.io = readIoUsage(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerStats(w: Writer, m: Init<ContainerStats>): void {
  if (m.attributes !== undefined) { const at = w.open(10); writeContainerAttributes(w, m.attributes); w.close(at); }
  if (m.cpu !== undefined) { const at = w.open(18); writeCpuUsage(w, m.cpu); w.close(at); }
  if (m.memory !== undefined) { const at = w.open(26); writeMemoryUsage(w, m.memory); w.close(at); }
  if (m.writableLayer !== undefined) { const at = w.open(34); writeFilesystemUsage(w, m.writableLayer); w.close(at); }
  if (m.swap !== undefined) { const at = w.open(42); writeSwapUsage(w, m.swap); w.close(at); }
  if (m.io !== undefined) { const at = w.open(50); writeIoUsage(w, m.io); w.close(at); }
}
export function decodeContainerStats(bytes: Uint8Array): ContainerStats {
  const r = new Reader(bytes);
  return readContainerStats(r, r.end);
}
export function encodeContainerStats(m: Init<ContainerStats>): Uint8Array {
  const w = new Writer();
  writeContainerStats(w, m);
  return w.finish();
}

export interface PodSandboxStatsRequest {
  podSandboxId: string;
}
function readPodSandboxStatsRequest(r: Reader, end: number): PodSandboxStatsRequest {
  const m: PodSandboxStatsRequest = { podSandboxId: '' };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxStatsRequest(w: Writer, m: Init<PodSandboxStatsRequest>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
}
export function decodePodSandboxStatsRequest(bytes: Uint8Array): PodSandboxStatsRequest {
  const r = new Reader(bytes);
  return readPodSandboxStatsRequest(r, r.end);
}
export function encodePodSandboxStatsRequest(m: Init<PodSandboxStatsRequest>): Uint8Array {
  const w = new Writer();
  writePodSandboxStatsRequest(w, m);
  return w.finish();
}

export interface PodSandboxStatsResponse {
  stats: PodSandboxStats | undefined;
}
function readPodSandboxStatsResponse(r: Reader, end: number): PodSandboxStatsResponse {
  const m: PodSandboxStatsResponse = { stats: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.stats = readPodSandboxStats(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxStatsResponse(w: Writer, m: Init<PodSandboxStatsResponse>): void {
  if (m.stats !== undefined) { const at = w.open(10); writePodSandboxStats(w, m.stats); w.close(at); }
}
export function decodePodSandboxStatsResponse(bytes: Uint8Array): PodSandboxStatsResponse {
  const r = new Reader(bytes);
  return readPodSandboxStatsResponse(r, r.end);
}
export function encodePodSandboxStatsResponse(m: Init<PodSandboxStatsResponse>): Uint8Array {
  const w = new Writer();
  writePodSandboxStatsResponse(w, m);
  return w.finish();
}

export interface PodSandboxStatsFilter {
  id: string;
  labelSelector: Record<string, string>;
}
function readPodSandboxStatsFilter(r: Reader, end: number): PodSandboxStatsFilter {
  const m: PodSandboxStatsFilter = { id: '', labelSelector: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: r.stringEntry(m.labelSelector); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxStatsFilter(w: Writer, m: Init<PodSandboxStatsFilter>): void {
  if (m.id) w.string(10, m.id);
  if (m.labelSelector !== undefined) w.stringMap(18, m.labelSelector);
}
export function decodePodSandboxStatsFilter(bytes: Uint8Array): PodSandboxStatsFilter {
  const r = new Reader(bytes);
  return readPodSandboxStatsFilter(r, r.end);
}
export function encodePodSandboxStatsFilter(m: Init<PodSandboxStatsFilter>): Uint8Array {
  const w = new Writer();
  writePodSandboxStatsFilter(w, m);
  return w.finish();
}

export interface ListPodSandboxStatsRequest {
  filter: PodSandboxStatsFilter | undefined;
}
function readListPodSandboxStatsRequest(r: Reader, end: number): ListPodSandboxStatsRequest {
  const m: ListPodSandboxStatsRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readPodSandboxStatsFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListPodSandboxStatsRequest(w: Writer, m: Init<ListPodSandboxStatsRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writePodSandboxStatsFilter(w, m.filter); w.close(at); }
}
export function decodeListPodSandboxStatsRequest(bytes: Uint8Array): ListPodSandboxStatsRequest {
  const r = new Reader(bytes);
  return readListPodSandboxStatsRequest(r, r.end);
}
export function encodeListPodSandboxStatsRequest(m: Init<ListPodSandboxStatsRequest>): Uint8Array {
  const w = new Writer();
  writeListPodSandboxStatsRequest(w, m);
  return w.finish();
}

export interface ListPodSandboxStatsResponse {
  stats: PodSandboxStats[];
}
function readListPodSandboxStatsResponse(r: Reader, end: number): ListPodSandboxStatsResponse {
  const m: ListPodSandboxStatsResponse = { stats: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.stats.push(readPodSandboxStats(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListPodSandboxStatsResponse(w: Writer, m: Init<ListPodSandboxStatsResponse>): void {
  if (m.stats !== undefined) for (const v of m.stats) { const at = w.open(10); writePodSandboxStats(w, v); w.close(at); }
}
export function decodeListPodSandboxStatsResponse(bytes: Uint8Array): ListPodSandboxStatsResponse {
  const r = new Reader(bytes);
  return readListPodSandboxStatsResponse(r, r.end);
}
export function encodeListPodSandboxStatsResponse(m: Init<ListPodSandboxStatsResponse>): Uint8Array {
  const w = new Writer();
  writeListPodSandboxStatsResponse(w, m);
  return w.finish();
}

export interface StreamPodSandboxStatsRequest {
  filter: PodSandboxStatsFilter | undefined;
}
function readStreamPodSandboxStatsRequest(r: Reader, end: number): StreamPodSandboxStatsRequest {
  const m: StreamPodSandboxStatsRequest = { filter: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.filter = readPodSandboxStatsFilter(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamPodSandboxStatsRequest(w: Writer, m: Init<StreamPodSandboxStatsRequest>): void {
  if (m.filter !== undefined) { const at = w.open(10); writePodSandboxStatsFilter(w, m.filter); w.close(at); }
}
export function decodeStreamPodSandboxStatsRequest(bytes: Uint8Array): StreamPodSandboxStatsRequest {
  const r = new Reader(bytes);
  return readStreamPodSandboxStatsRequest(r, r.end);
}
export function encodeStreamPodSandboxStatsRequest(m: Init<StreamPodSandboxStatsRequest>): Uint8Array {
  const w = new Writer();
  writeStreamPodSandboxStatsRequest(w, m);
  return w.finish();
}

export interface StreamPodSandboxStatsResponse {
  podSandboxStats: PodSandboxStats[];
}
function readStreamPodSandboxStatsResponse(r: Reader, end: number): StreamPodSandboxStatsResponse {
  const m: StreamPodSandboxStatsResponse = { podSandboxStats: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxStats.push(readPodSandboxStats(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamPodSandboxStatsResponse(w: Writer, m: Init<StreamPodSandboxStatsResponse>): void {
  if (m.podSandboxStats !== undefined) for (const v of m.podSandboxStats) { const at = w.open(10); writePodSandboxStats(w, v); w.close(at); }
}
export function decodeStreamPodSandboxStatsResponse(bytes: Uint8Array): StreamPodSandboxStatsResponse {
  const r = new Reader(bytes);
  return readStreamPodSandboxStatsResponse(r, r.end);
}
export function encodeStreamPodSandboxStatsResponse(m: Init<StreamPodSandboxStatsResponse>): Uint8Array {
  const w = new Writer();
  writeStreamPodSandboxStatsResponse(w, m);
  return w.finish();
}

export interface PodSandboxAttributes {
  id: string;
  metadata: PodSandboxMetadata | undefined;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
function readPodSandboxAttributes(r: Reader, end: number): PodSandboxAttributes {
  const m: PodSandboxAttributes = { id: '', metadata: undefined, labels: {}, annotations: {} };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.id = r.string(); break;
      case 18: m.metadata = readPodSandboxMetadata(r, r.length()); break;
      case 26: r.stringEntry(m.labels); break;
      case 34: r.stringEntry(m.annotations); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxAttributes(w: Writer, m: Init<PodSandboxAttributes>): void {
  if (m.id) w.string(10, m.id);
  if (m.metadata !== undefined) { const at = w.open(18); writePodSandboxMetadata(w, m.metadata); w.close(at); }
  if (m.labels !== undefined) w.stringMap(26, m.labels);
  if (m.annotations !== undefined) w.stringMap(34, m.annotations);
}
export function decodePodSandboxAttributes(bytes: Uint8Array): PodSandboxAttributes {
  const r = new Reader(bytes);
  return readPodSandboxAttributes(r, r.end);
}
export function encodePodSandboxAttributes(m: Init<PodSandboxAttributes>): Uint8Array {
  const w = new Writer();
  writePodSandboxAttributes(w, m);
  return w.finish();
}

export interface PodSandboxStats {
  attributes: PodSandboxAttributes | undefined;
  linux: LinuxPodSandboxStats | undefined;
  windows: WindowsPodSandboxStats | undefined;
}
function readPodSandboxStats(r: Reader, end: number): PodSandboxStats {
  const m: PodSandboxStats = { attributes: undefined, linux: undefined, windows: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.attributes = readPodSandboxAttributes(r, r.length()); break;
      case 18: m.linux = readLinuxPodSandboxStats(r, r.length()); break;
      case 26: m.windows = readWindowsPodSandboxStats(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxStats(w: Writer, m: Init<PodSandboxStats>): void {
  if (m.attributes !== undefined) { const at = w.open(10); writePodSandboxAttributes(w, m.attributes); w.close(at); }
  if (m.linux !== undefined) { const at = w.open(18); writeLinuxPodSandboxStats(w, m.linux); w.close(at); }
  if (m.windows !== undefined) { const at = w.open(26); writeWindowsPodSandboxStats(w, m.windows); w.close(at); }
}
export function decodePodSandboxStats(bytes: Uint8Array): PodSandboxStats {
  const r = new Reader(bytes);
  return readPodSandboxStats(r, r.end);
}
export function encodePodSandboxStats(m: Init<PodSandboxStats>): Uint8Array {
  const w = new Writer();
  writePodSandboxStats(w, m);
  return w.finish();
}

export interface LinuxPodSandboxStats {
  cpu: CpuUsage | undefined;
  memory: MemoryUsage | undefined;
  network: NetworkUsage | undefined;
  process: ProcessUsage | undefined;
  containers: ContainerStats[];
  io: IoUsage | undefined;
}
function readLinuxPodSandboxStats(r: Reader, end: number): LinuxPodSandboxStats {
  const m: LinuxPodSandboxStats = { cpu: undefined, memory: undefined, network: undefined, process: undefined, containers: [], io: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.cpu = readCpuUsage(r, r.length()); break;
      case 18: m.memory = readMemoryUsage(r, r.length()); break;
      case 26: m.network = readNetworkUsage(r, r.length()); break;
      case 34: m.process = readProcessUsage(r, r.length()); break;
      case 42: m.containers.push(readContainerStats(r, r.length())); break;
      case 50: m.io = readIoUsage(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeLinuxPodSandboxStats(w: Writer, m: Init<LinuxPodSandboxStats>): void {
  if (m.cpu !== undefined) { const at = w.open(10); writeCpuUsage(w, m.cpu); w.close(at); }
  if (m.memory !== undefined) { const at = w.open(18); writeMemoryUsage(w, m.memory); w.close(at); }
  if (m.network !== undefined) { const at = w.open(26); writeNetworkUsage(w, m.network); w.close(at); }
  if (m.process !== undefined) { const at = w.open(34); writeProcessUsage(w, m.process); w.close(at); }
  if (m.containers !== undefined) for (const v of m.containers) { const at = w.open(42); writeContainerStats(w, v); w.close(at); }
  if (m.io !== undefined) { const at = w.open(50); writeIoUsage(w, m.io); w.close(at); }
}
export function decodeLinuxPodSandboxStats(bytes: Uint8Array): LinuxPodSandboxStats {
  const r = new Reader(bytes);
  return readLinuxPodSandboxStats(r, r.end);
}
export function encodeLinuxPodSandboxStats(m: Init<LinuxPodSandboxStats>): Uint8Array {
  const w = new Writer();
  writeLinuxPodSandboxStats(w, m);
  return w.finish();
}

export interface CpuUsage {
  timestamp: number;
  usageCoreNanoSeconds: UInt64Value | undefined;
  usageNanoCores: UInt64Value | undefined;
  psi: PsiStats | undefined;
}
function readCpuUsage(r: Reader, end: number): CpuUsage {
  const m: CpuUsage = { timestamp: 0, usageCoreNanoSeconds: undefined, usageNanoCores: undefined, psi: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.usageCoreNanoSeconds = readUInt64Value(r, r.length()); break;
      case 26: m.usageNanoCores = readUInt64Value(r, r.length()); break;
      case 34: m.psi = readPsiStats(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeCpuUsage(w: Writer, m: Init<CpuUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.usageCoreNanoSeconds !== undefined) { const at = w.open(18); writeUInt64Value(w, m.usageCoreNanoSeconds); w.close(at); }
  if (m.usageNanoCores !== undefined) { const at = w.open(26); writeUInt64Value(w, m.usageNanoCores); w.close(at); }
  if (m.psi !== undefined) { const at = w.open(34); writePsiStats(w, m.psi); w.close(at); }
}
export function decodeCpuUsage(bytes: Uint8Array): CpuUsage {
  const r = new Reader(bytes);
  return readCpuUsage(r, r.end);
}
export function encodeCpuUsage(m: Init<CpuUsage>): Uint8Array {
  const w = new Writer();
  writeCpuUsage(w, m);
  return w.finish();
}

export interface MemoryUsage {
  timestamp: number;
  workingSetBytes: UInt64Value | undefined;
  availableBytes: UInt64Value | undefined;
  usageBytes: UInt64Value | undefined;
  rssBytes: UInt64Value | undefined;
  pageFaults: UInt64Value | undefined;
  majorPageFaults: UInt64Value | undefined;
  psi: PsiStats | undefined;
}
function readMemoryUsage(r: Reader, end: number): MemoryUsage {
  const m: MemoryUsage = { timestamp: 0, workingSetBytes: undefined, availableBytes: undefined, usageBytes: undefined, rssBytes: undefined, pageFaults: undefined, majorPageFaults: undefined, psi: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.workingSetBytes = readUInt64Value(r, r.length()); break;
      case 26: m.availableBytes = readUInt64Value(r, r.length()); break;
      case 34: m.usageBytes = readUInt64Value(r, r.length()); break;
      case 42: m.rssBytes = readUInt64Value(r, r.length()); break;
      case 50: m.pageFaults = readUInt64Value(r, r.length()); break;
      case 58: m.majorPageFaults = readUInt64Value(r, r.length()); break;
      case 66: m.psi = readPsiStats(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeMemoryUsage(w: Writer, m: Init<MemoryUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.workingSetBytes !== undefined) { const at = w.open(18); writeUInt64Value(w, m.workingSetBytes); w.close(at); }
  if (m.availableBytes !== undefined) { const at = w.open(26); writeUInt64Value(w, m.availableBytes); w.close(at); }
  if (m.usageBytes !== undefined) { const at = w.open(34); writeUInt64Value(w, m.usageBytes); w.close(at); }
  if (m.rssBytes !== undefined) { const at = w.open(42); writeUInt64Value(w, m.rssBytes); w.close(at); }
  if (m.pageFaults !== undefined) { const at = w.open(50); writeUInt64Value(w, m.pageFaults); w.close(at); }
  if (m.majorPageFaults !== undefined) { const at = w.open(58); writeUInt64Value(w, m.majorPageFaults); w.close(at); }
  if (m.psi !== undefined) { const at = w.open(66); writePsiStats(w, m.psi); w.close(at); }
}
export function decodeMemoryUsage(bytes: Uint8Array): MemoryUsage {
  const r = new Reader(bytes);
  return readMemoryUsage(r, r.end);
}
export function encodeMemoryUsage(m: Init<MemoryUsage>): Uint8Array {
  const w = new Writer();
  writeMemoryUsage(w, m);
  return w.finish();
}

export interface SwapUsage {
  timestamp: number;
  swapAvailableBytes: UInt64Value | undefined;
  swapUsageBytes: UInt64Value | undefined;
}
function readSwapUsage(r: Reader, end: number): SwapUsage {
  const m: SwapUsage = { timestamp: 0, swapAvailableBytes: undefined, swapUsageBytes: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.swapAvailableBytes = readUInt64Value(r, r.length()); break;
      case 26: m.swapUsageBytes = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeSwapUsage(w: Writer, m: Init<SwapUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.swapAvailableBytes !== undefined) { const at = w.open(18); writeUInt64Value(w, m.swapAvailableBytes); w.close(at); }
  if (m.swapUsageBytes !== undefined) { const at = w.open(26); writeUInt64Value(w, m.swapUsageBytes); w.close(at); }
}
export function decodeSwapUsage(bytes: Uint8Array): SwapUsage {
  const r = new Reader(bytes);
  return readSwapUsage(r, r.end);
}
export function encodeSwapUsage(m: Init<SwapUsage>): Uint8Array {
  const w = new Writer();
  writeSwapUsage(w, m);
  return w.finish();
}

export interface IoUsage {
  timestamp: number;
  psi: PsiStats | undefined;
}
function readIoUsage(r: Reader, end: number): IoUsage {
  const m: IoUsage = { timestamp: 0, psi: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.psi = readPsiStats(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeIoUsage(w: Writer, m: Init<IoUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.psi !== undefined) { const at = w.open(18); writePsiStats(w, m.psi); w.close(at); }
}
export function decodeIoUsage(bytes: Uint8Array): IoUsage {
  const r = new Reader(bytes);
  return readIoUsage(r, r.end);
}
export function encodeIoUsage(m: Init<IoUsage>): Uint8Array {
  const w = new Writer();
  writeIoUsage(w, m);
  return w.finish();
}

export interface PsiStats {
  Full: PsiData | undefined;
  Some: PsiData | undefined;
}
function readPsiStats(r: Reader, end: number): PsiStats {
  const m: PsiStats = { Full: undefined, Some: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.Full = readPsiData(r, r.length()); break;
      case 18: m.Some = readPsiData(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePsiStats(w: Writer, m: Init<PsiStats>): void {
  if (m.Full !== undefined) { const at = w.open(10); writePsiData(w, m.Full); w.close(at); }
  if (m.Some !== undefined) { const at = w.open(18); writePsiData(w, m.Some); w.close(at); }
}
export function decodePsiStats(bytes: Uint8Array): PsiStats {
  const r = new Reader(bytes);
  return readPsiStats(r, r.end);
}
export function encodePsiStats(m: Init<PsiStats>): Uint8Array {
  const w = new Writer();
  writePsiStats(w, m);
  return w.finish();
}

export interface PsiData {
  Total: number;
  Avg10: number;
  Avg60: number;
  Avg300: number;
}
function readPsiData(r: Reader, end: number): PsiData {
  const m: PsiData = { Total: 0, Avg10: 0, Avg60: 0, Avg300: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.Total = r.uint64(); break;
      case 17: m.Avg10 = r.double(); break;
      case 25: m.Avg60 = r.double(); break;
      case 33: m.Avg300 = r.double(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePsiData(w: Writer, m: Init<PsiData>): void {
  if (m.Total) w.uint64(8, m.Total);
  if (m.Avg10) w.double(17, m.Avg10);
  if (m.Avg60) w.double(25, m.Avg60);
  if (m.Avg300) w.double(33, m.Avg300);
}
export function decodePsiData(bytes: Uint8Array): PsiData {
  const r = new Reader(bytes);
  return readPsiData(r, r.end);
}
export function encodePsiData(m: Init<PsiData>): Uint8Array {
  const w = new Writer();
  writePsiData(w, m);
  return w.finish();
}

export interface NetworkUsage {
  timestamp: number;
  defaultInterface: NetworkInterfaceUsage | undefined;
  interfaces: NetworkInterfaceUsage[];
}
function readNetworkUsage(r: Reader, end: number): NetworkUsage {
  const m: NetworkUsage = { timestamp: 0, defaultInterface: undefined, interfaces: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.defaultInterface = readNetworkInterfaceUsage(r, r.length()); break;
      case 26: m.interfaces.push(readNetworkInterfaceUsage(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNetworkUsage(w: Writer, m: Init<NetworkUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.defaultInterface !== undefined) { const at = w.open(18); writeNetworkInterfaceUsage(w, m.defaultInterface); w.close(at); }
  if (m.interfaces !== undefined) for (const v of m.interfaces) { const at = w.open(26); writeNetworkInterfaceUsage(w, v); w.close(at); }
}
export function decodeNetworkUsage(bytes: Uint8Array): NetworkUsage {
  const r = new Reader(bytes);
  return readNetworkUsage(r, r.end);
}
export function encodeNetworkUsage(m: Init<NetworkUsage>): Uint8Array {
  const w = new Writer();
  writeNetworkUsage(w, m);
  return w.finish();
}

export interface NetworkInterfaceUsage {
  name: string;
  rxBytes: UInt64Value | undefined;
  rxErrors: UInt64Value | undefined;
  txBytes: UInt64Value | undefined;
  txErrors: UInt64Value | undefined;
}
function readNetworkInterfaceUsage(r: Reader, end: number): NetworkInterfaceUsage {
  const m: NetworkInterfaceUsage = { name: '', rxBytes: undefined, rxErrors: undefined, txBytes: undefined, txErrors: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 18: m.rxBytes = readUInt64Value(r, r.length()); break;
      case 26: m.rxErrors = readUInt64Value(r, r.length()); break;
      case 34: m.txBytes = readUInt64Value(r, r.length()); break;
      case 42: m.txErrors = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeNetworkInterfaceUsage(w: Writer, m: Init<NetworkInterfaceUsage>): void {
  if (m.name) w.string(10, m.name);
  if (m.rxBytes !== undefined) { const at = w.open(18); writeUInt64Value(w, m.rxBytes); w.close(at); }
  if (m.rxErrors !== undefined) { const at = w.open(26); writeUInt64Value(w, m.rxErrors); w.close(at); }
  if (m.txBytes !== undefined) { const at = w.open(34); writeUInt64Value(w, m.txBytes); w.close(at); }
  if (m.txErrors !== undefined) { const at = w.open(42); writeUInt64Value(w, m.txErrors); w.close(at); }
}
export function decodeNetworkInterfaceUsage(bytes: Uint8Array): NetworkInterfaceUsage {
  const r = new Reader(bytes);
  return readNetworkInterfaceUsage(r, r.end);
}
export function encodeNetworkInterfaceUsage(m: Init<NetworkInterfaceUsage>): Uint8Array {
  const w = new Writer();
  writeNetworkInterfaceUsage(w, m);
  return w.finish();
}

export interface ProcessUsage {
  timestamp: number;
  processCount: UInt64Value | undefined;
}
function readProcessUsage(r: Reader, end: number): ProcessUsage {
  const m: ProcessUsage = { timestamp: 0, processCount: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.processCount = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeProcessUsage(w: Writer, m: Init<ProcessUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.processCount !== undefined) { const at = w.open(18); writeUInt64Value(w, m.processCount); w.close(at); }
}
export function decodeProcessUsage(bytes: Uint8Array): ProcessUsage {
  const r = new Reader(bytes);
  return readProcessUsage(r, r.end);
}
export function encodeProcessUsage(m: Init<ProcessUsage>): Uint8Array {
  const w = new Writer();
  writeProcessUsage(w, m);
  return w.finish();
}

export interface ListMetricDescriptorsRequest {
}
function readListMetricDescriptorsRequest(r: Reader, end: number): ListMetricDescriptorsRequest {
  const m: ListMetricDescriptorsRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeListMetricDescriptorsRequest(_w: Writer, _m: Init<ListMetricDescriptorsRequest>): void {
}
export function decodeListMetricDescriptorsRequest(bytes: Uint8Array): ListMetricDescriptorsRequest {
  const r = new Reader(bytes);
  return readListMetricDescriptorsRequest(r, r.end);
}
export function encodeListMetricDescriptorsRequest(m: Init<ListMetricDescriptorsRequest>): Uint8Array {
  const w = new Writer();
  writeListMetricDescriptorsRequest(w, m);
  return w.finish();
}

export interface ListMetricDescriptorsResponse {
  descriptors: MetricDescriptor[];
}
function readListMetricDescriptorsResponse(r: Reader, end: number): ListMetricDescriptorsResponse {
  const m: ListMetricDescriptorsResponse = { descriptors: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.descriptors.push(readMetricDescriptor(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListMetricDescriptorsResponse(w: Writer, m: Init<ListMetricDescriptorsResponse>): void {
  if (m.descriptors !== undefined) for (const v of m.descriptors) { const at = w.open(10); writeMetricDescriptor(w, v); w.close(at); }
}
export function decodeListMetricDescriptorsResponse(bytes: Uint8Array): ListMetricDescriptorsResponse {
  const r = new Reader(bytes);
  return readListMetricDescriptorsResponse(r, r.end);
}
export function encodeListMetricDescriptorsResponse(m: Init<ListMetricDescriptorsResponse>): Uint8Array {
  const w = new Writer();
  writeListMetricDescriptorsResponse(w, m);
  return w.finish();
}

export interface MetricDescriptor {
  name: string;
  help: string;
  labelKeys: string[];
}
function readMetricDescriptor(r: Reader, end: number): MetricDescriptor {
  const m: MetricDescriptor = { name: '', help: '', labelKeys: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 18: m.help = r.string(); break;
      case 26: m.labelKeys.push(r.string()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeMetricDescriptor(w: Writer, m: Init<MetricDescriptor>): void {
  if (m.name) w.string(10, m.name);
  if (m.help) w.string(18, m.help);
  if (m.labelKeys !== undefined) for (const v of m.labelKeys) w.string(26, v);
}
export function decodeMetricDescriptor(bytes: Uint8Array): MetricDescriptor {
  const r = new Reader(bytes);
  return readMetricDescriptor(r, r.end);
}
export function encodeMetricDescriptor(m: Init<MetricDescriptor>): Uint8Array {
  const w = new Writer();
  writeMetricDescriptor(w, m);
  return w.finish();
}

export interface ListPodSandboxMetricsRequest {
}
function readListPodSandboxMetricsRequest(r: Reader, end: number): ListPodSandboxMetricsRequest {
  const m: ListPodSandboxMetricsRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeListPodSandboxMetricsRequest(_w: Writer, _m: Init<ListPodSandboxMetricsRequest>): void {
}
export function decodeListPodSandboxMetricsRequest(bytes: Uint8Array): ListPodSandboxMetricsRequest {
  const r = new Reader(bytes);
  return readListPodSandboxMetricsRequest(r, r.end);
}
export function encodeListPodSandboxMetricsRequest(m: Init<ListPodSandboxMetricsRequest>): Uint8Array {
  const w = new Writer();
  writeListPodSandboxMetricsRequest(w, m);
  return w.finish();
}

export interface ListPodSandboxMetricsResponse {
  podMetrics: PodSandboxMetrics[];
}
function readListPodSandboxMetricsResponse(r: Reader, end: number): ListPodSandboxMetricsResponse {
  const m: ListPodSandboxMetricsResponse = { podMetrics: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podMetrics.push(readPodSandboxMetrics(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeListPodSandboxMetricsResponse(w: Writer, m: Init<ListPodSandboxMetricsResponse>): void {
  if (m.podMetrics !== undefined) for (const v of m.podMetrics) { const at = w.open(10); writePodSandboxMetrics(w, v); w.close(at); }
}
export function decodeListPodSandboxMetricsResponse(bytes: Uint8Array): ListPodSandboxMetricsResponse {
  const r = new Reader(bytes);
  return readListPodSandboxMetricsResponse(r, r.end);
}
export function encodeListPodSandboxMetricsResponse(m: Init<ListPodSandboxMetricsResponse>): Uint8Array {
  const w = new Writer();
  writeListPodSandboxMetricsResponse(w, m);
  return w.finish();
}

export interface StreamPodSandboxMetricsRequest {
}
function readStreamPodSandboxMetricsRequest(r: Reader, end: number): StreamPodSandboxMetricsRequest {
  const m: StreamPodSandboxMetricsRequest = {  };
  while (r.pos < end) {
    const tag = r.uint32();
    r.skip(tag);
  }
  r.finish(end);
  return m;
}
function writeStreamPodSandboxMetricsRequest(_w: Writer, _m: Init<StreamPodSandboxMetricsRequest>): void {
}
export function decodeStreamPodSandboxMetricsRequest(bytes: Uint8Array): StreamPodSandboxMetricsRequest {
  const r = new Reader(bytes);
  return readStreamPodSandboxMetricsRequest(r, r.end);
}
export function encodeStreamPodSandboxMetricsRequest(m: Init<StreamPodSandboxMetricsRequest>): Uint8Array {
  const w = new Writer();
  writeStreamPodSandboxMetricsRequest(w, m);
  return w.finish();
}

export interface StreamPodSandboxMetricsResponse {
  podSandboxMetrics: PodSandboxMetrics[];
}
function readStreamPodSandboxMetricsResponse(r: Reader, end: number): StreamPodSandboxMetricsResponse {
  const m: StreamPodSandboxMetricsResponse = { podSandboxMetrics: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxMetrics.push(readPodSandboxMetrics(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeStreamPodSandboxMetricsResponse(w: Writer, m: Init<StreamPodSandboxMetricsResponse>): void {
  if (m.podSandboxMetrics !== undefined) for (const v of m.podSandboxMetrics) { const at = w.open(10); writePodSandboxMetrics(w, v); w.close(at); }
}
export function decodeStreamPodSandboxMetricsResponse(bytes: Uint8Array): StreamPodSandboxMetricsResponse {
  const r = new Reader(bytes);
  return readStreamPodSandboxMetricsResponse(r, r.end);
}
export function encodeStreamPodSandboxMetricsResponse(m: Init<StreamPodSandboxMetricsResponse>): Uint8Array {
  const w = new Writer();
  writeStreamPodSandboxMetricsResponse(w, m);
  return w.finish();
}

export interface PodSandboxMetrics {
  podSandboxId: string;
  metrics: Metric[];
  containerMetrics: ContainerMetrics[];
}
function readPodSandboxMetrics(r: Reader, end: number): PodSandboxMetrics {
  const m: PodSandboxMetrics = { podSandboxId: '', metrics: [], containerMetrics: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.podSandboxId = r.string(); break;
      case 18: m.metrics.push(readMetric(r, r.length())); break;
      case 26: m.containerMetrics.push(readContainerMetrics(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writePodSandboxMetrics(w: Writer, m: Init<PodSandboxMetrics>): void {
  if (m.podSandboxId) w.string(10, m.podSandboxId);
  if (m.metrics !== undefined) for (const v of m.metrics) { const at = w.open(18); writeMetric(w, v); w.close(at); }
  if (m.containerMetrics !== undefined) for (const v of m.containerMetrics) { const at = w.open(26); writeContainerMetrics(w, v); w.close(at); }
}
export function decodePodSandboxMetrics(bytes: Uint8Array): PodSandboxMetrics {
  const r = new Reader(bytes);
  return readPodSandboxMetrics(r, r.end);
}
export function encodePodSandboxMetrics(m: Init<PodSandboxMetrics>): Uint8Array {
  const w = new Writer();
  writePodSandboxMetrics(w, m);
  return w.finish();
}

export interface ContainerMetrics {
  containerId: string;
  metrics: Metric[];
}
function readContainerMetrics(r: Reader, end: number): ContainerMetrics {
  const m: ContainerMetrics = { containerId: '', metrics: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.containerId = r.string(); break;
      case 18: m.metrics.push(readMetric(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeContainerMetrics(w: Writer, m: Init<ContainerMetrics>): void {
  if (m.containerId) w.string(10, m.containerId);
  if (m.metrics !== undefined) for (const v of m.metrics) { const at = w.open(18); writeMetric(w, v); w.close(at); }
}
export function decodeContainerMetrics(bytes: Uint8Array): ContainerMetrics {
  const r = new Reader(bytes);
  return readContainerMetrics(r, r.end);
}
export function encodeContainerMetrics(m: Init<ContainerMetrics>): Uint8Array {
  const w = new Writer();
  writeContainerMetrics(w, m);
  return w.finish();
}

export interface Metric {
  name: string;
  timestamp: number;
  metricType: MetricType;
  labelValues: string[];
  value: UInt64Value | undefined;
}
function readMetric(r: Reader, end: number): Metric {
  const m: Metric = { name: '', timestamp: 0, metricType: 0, labelValues: [], value: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 16: m.timestamp = r.int64(); break;
      case 24: m.metricType = r.int32(); break;
      case 34: m.labelValues.push(r.string()); break;
      case 42: m.value = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeMetric(w: Writer, m: Init<Metric>): void {
  if (m.name) w.string(10, m.name);
  if (m.timestamp) w.int64(16, m.timestamp);
  if (m.metricType) w.int32(24, m.metricType);
  if (m.labelValues !== undefined) for (const v of m.labelValues) w.string(34, v);
  if (m.value !== undefined) { const at = w.open(42); writeUInt64Value(w, m.value); w.close(at); }
}
export function decodeMetric(bytes: Uint8Array): Metric {
  const r = new Reader(bytes);
  return readMetric(r, r.end);
}
export function encodeMetric(m: Init<Metric>): Uint8Array {
  const w = new Writer();
  writeMetric(w, m);
  return w.finish();
}

export interface WindowsPodSandboxConfig {
  securityContext: WindowsSandboxSecurityContext | undefined;
}
function readWindowsPodSandboxConfig(r: Reader, end: number): WindowsPodSandboxConfig {
  const m: WindowsPodSandboxConfig = { securityContext: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.securityContext = readWindowsSandboxSecurityContext(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsPodSandboxConfig(w: Writer, m: Init<WindowsPodSandboxConfig>): void {
  if (m.securityContext !== undefined) { const at = w.open(10); writeWindowsSandboxSecurityContext(w, m.securityContext); w.close(at); }
}
export function decodeWindowsPodSandboxConfig(bytes: Uint8Array): WindowsPodSandboxConfig {
  const r = new Reader(bytes);
  return readWindowsPodSandboxConfig(r, r.end);
}
export function encodeWindowsPodSandboxConfig(m: Init<WindowsPodSandboxConfig>): Uint8Array {
  const w = new Writer();
  writeWindowsPodSandboxConfig(w, m);
  return w.finish();
}

export interface WindowsSandboxSecurityContext {
  runAsUsername: string;
  credentialSpec: string;
  hostProcess: boolean;
  namespaceOptions: WindowsNamespaceOption | undefined;
}
function readWindowsSandboxSecurityContext(r: Reader, end: number): WindowsSandboxSecurityContext {
  const m: WindowsSandboxSecurityContext = { runAsUsername: '', credentialSpec: '', hostProcess: false, namespaceOptions: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.runAsUsername = r.string(); break;
      case 18: m.credentialSpec = r.string(); break;
      case 24: m.hostProcess = r.bool(); break;
      case 34: m.namespaceOptions = readWindowsNamespaceOption(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsSandboxSecurityContext(w: Writer, m: Init<WindowsSandboxSecurityContext>): void {
  if (m.runAsUsername) w.string(10, m.runAsUsername);
  if (m.credentialSpec) w.string(18, m.credentialSpec);
  if (m.hostProcess) w.bool(24, m.hostProcess);
  if (m.namespaceOptions !== undefined) { const at = w.open(34); writeWindowsNamespaceOption(w, m.namespaceOptions); w.close(at); }
}
export function decodeWindowsSandboxSecurityContext(bytes: Uint8Array): WindowsSandboxSecurityContext {
  const r = new Reader(bytes);
  return readWindowsSandboxSecurityContext(r, r.end);
}
export function encodeWindowsSandboxSecurityContext(m: Init<WindowsSandboxSecurityContext>): Uint8Array {
  const w = new Writer();
  writeWindowsSandboxSecurityContext(w, m);
  return w.finish();
}

export interface WindowsNamespaceOption {
  network: NamespaceMode;
}
function readWindowsNamespaceOption(r: Reader, end: number): WindowsNamespaceOption {
  const m: WindowsNamespaceOption = { network: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.network = r.int32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsNamespaceOption(w: Writer, m: Init<WindowsNamespaceOption>): void {
  if (m.network) w.int32(8, m.network);
}
export function decodeWindowsNamespaceOption(bytes: Uint8Array): WindowsNamespaceOption {
  const r = new Reader(bytes);
  return readWindowsNamespaceOption(r, r.end);
}
export function encodeWindowsNamespaceOption(m: Init<WindowsNamespaceOption>): Uint8Array {
  const w = new Writer();
  writeWindowsNamespaceOption(w, m);
  return w.finish();
}

export interface WindowsContainerConfig {
  resources: WindowsContainerResources | undefined;
  securityContext: WindowsContainerSecurityContext | undefined;
}
function readWindowsContainerConfig(r: Reader, end: number): WindowsContainerConfig {
  const m: WindowsContainerConfig = { resources: undefined, securityContext: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.resources = readWindowsContainerResources(r, r.length()); break;
      case 18: m.securityContext = readWindowsContainerSecurityContext(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsContainerConfig(w: Writer, m: Init<WindowsContainerConfig>): void {
  if (m.resources !== undefined) { const at = w.open(10); writeWindowsContainerResources(w, m.resources); w.close(at); }
  if (m.securityContext !== undefined) { const at = w.open(18); writeWindowsContainerSecurityContext(w, m.securityContext); w.close(at); }
}
export function decodeWindowsContainerConfig(bytes: Uint8Array): WindowsContainerConfig {
  const r = new Reader(bytes);
  return readWindowsContainerConfig(r, r.end);
}
export function encodeWindowsContainerConfig(m: Init<WindowsContainerConfig>): Uint8Array {
  const w = new Writer();
  writeWindowsContainerConfig(w, m);
  return w.finish();
}

export interface WindowsContainerSecurityContext {
  runAsUsername: string;
  credentialSpec: string;
  hostProcess: boolean;
}
function readWindowsContainerSecurityContext(r: Reader, end: number): WindowsContainerSecurityContext {
  const m: WindowsContainerSecurityContext = { runAsUsername: '', credentialSpec: '', hostProcess: false };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.runAsUsername = r.string(); break;
      case 18: m.credentialSpec = r.string(); break;
      case 24: m.hostProcess = r.bool(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsContainerSecurityContext(w: Writer, m: Init<WindowsContainerSecurityContext>): void {
  if (m.runAsUsername) w.string(10, m.runAsUsername);
  if (m.credentialSpec) w.string(18, m.credentialSpec);
  if (m.hostProcess) w.bool(24, m.hostProcess);
}
export function decodeWindowsContainerSecurityContext(bytes: Uint8Array): WindowsContainerSecurityContext {
  const r = new Reader(bytes);
  return readWindowsContainerSecurityContext(r, r.end);
}
export function encodeWindowsContainerSecurityContext(m: Init<WindowsContainerSecurityContext>): Uint8Array {
  const w = new Writer();
  writeWindowsContainerSecurityContext(w, m);
  return w.finish();
}

export interface WindowsContainerResources {
  cpuShares: number;
  cpuCount: number;
  cpuMaximum: number;
  memoryLimitInBytes: number;
  rootfsSizeInBytes: number;
  affinityCpus: WindowsCpuGroupAffinity[];
}
function readWindowsContainerResources(r: Reader, end: number): WindowsContainerResources {
  const m: WindowsContainerResources = { cpuShares: 0, cpuCount: 0, cpuMaximum: 0, memoryLimitInBytes: 0, rootfsSizeInBytes: 0, affinityCpus: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.cpuShares = r.int64(); break;
      case 16: m.cpuCount = r.int64(); break;
      case 24: m.cpuMaximum = r.int64(); break;
      case 32: m.memoryLimitInBytes = r.int64(); break;
      case 40: m.rootfsSizeInBytes = r.int64(); break;
      case 50: m.affinityCpus.push(readWindowsCpuGroupAffinity(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsContainerResources(w: Writer, m: Init<WindowsContainerResources>): void {
  if (m.cpuShares) w.int64(8, m.cpuShares);
  if (m.cpuCount) w.int64(16, m.cpuCount);
  if (m.cpuMaximum) w.int64(24, m.cpuMaximum);
  if (m.memoryLimitInBytes) w.int64(32, m.memoryLimitInBytes);
  if (m.rootfsSizeInBytes) w.int64(40, m.rootfsSizeInBytes);
  if (m.affinityCpus !== undefined) for (const v of m.affinityCpus) { const at = w.open(50); writeWindowsCpuGroupAffinity(w, v); w.close(at); }
}
export function decodeWindowsContainerResources(bytes: Uint8Array): WindowsContainerResources {
  const r = new Reader(bytes);
  return readWindowsContainerResources(r, r.end);
}
export function encodeWindowsContainerResources(m: Init<WindowsContainerResources>): Uint8Array {
  const w = new Writer();
  writeWindowsContainerResources(w, m);
  return w.finish();
}

export interface WindowsCpuGroupAffinity {
  cpuMask: number;
  cpuGroup: number;
}
function readWindowsCpuGroupAffinity(r: Reader, end: number): WindowsCpuGroupAffinity {
  const m: WindowsCpuGroupAffinity = { cpuMask: 0, cpuGroup: 0 };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.cpuMask = r.uint64(); break;
      case 16: m.cpuGroup = r.uint32(); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsCpuGroupAffinity(w: Writer, m: Init<WindowsCpuGroupAffinity>): void {
  if (m.cpuMask) w.uint64(8, m.cpuMask);
  if (m.cpuGroup) w.uint32(16, m.cpuGroup);
}
export function decodeWindowsCpuGroupAffinity(bytes: Uint8Array): WindowsCpuGroupAffinity {
  const r = new Reader(bytes);
  return readWindowsCpuGroupAffinity(r, r.end);
}
export function encodeWindowsCpuGroupAffinity(m: Init<WindowsCpuGroupAffinity>): Uint8Array {
  const w = new Writer();
  writeWindowsCpuGroupAffinity(w, m);
  return w.finish();
}

export interface WindowsPodSandboxStats {
  cpu: WindowsCpuUsage | undefined;
  memory: WindowsMemoryUsage | undefined;
  network: WindowsNetworkUsage | undefined;
  process: WindowsProcessUsage | undefined;
  containers: WindowsContainerStats[];
}
function readWindowsPodSandboxStats(r: Reader, end: number): WindowsPodSandboxStats {
  const m: WindowsPodSandboxStats = { cpu: undefined, memory: undefined, network: undefined, process: undefined, containers: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.cpu = readWindowsCpuUsage(r, r.length()); break;
      case 18: m.memory = readWindowsMemoryUsage(r, r.length()); break;
      case 26: m.network = readWindowsNetworkUsage(r, r.length()); break;
      case 34: m.process = readWindowsProcessUsage(r, r.length()); break;
      case 42: m.containers.push(readWindowsContainerStats(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsPodSandboxStats(w: Writer, m: Init<WindowsPodSandboxStats>): void {
  if (m.cpu !== undefined) { const at = w.open(10); writeWindowsCpuUsage(w, m.cpu); w.close(at); }
  if (m.memory !== undefined) { const at = w.open(18); writeWindowsMemoryUsage(w, m.memory); w.close(at); }
  if (m.network !== undefined) { const at = w.open(26); writeWindowsNetworkUsage(w, m.network); w.close(at); }
  if (m.process !== undefined) { const at = w.open(34); writeWindowsProcessUsage(w, m.process); w.close(at); }
  if (m.containers !== undefined) for (const v of m.containers) { const at = w.open(42); writeWindowsContainerStats(w, v); w.close(at); }
}
export function decodeWindowsPodSandboxStats(bytes: Uint8Array): WindowsPodSandboxStats {
  const r = new Reader(bytes);
  return readWindowsPodSandboxStats(r, r.end);
}
export function encodeWindowsPodSandboxStats(m: Init<WindowsPodSandboxStats>): Uint8Array {
  const w = new Writer();
  writeWindowsPodSandboxStats(w, m);
  return w.finish();
}

export interface WindowsContainerStats {
  attributes: ContainerAttributes | undefined;
  cpu: WindowsCpuUsage | undefined;
  memory: WindowsMemoryUsage | undefined;
  writableLayer: WindowsFilesystemUsage | undefined;
}
function readWindowsContainerStats(r: Reader, end: number): WindowsContainerStats {
  const m: WindowsContainerStats = { attributes: undefined, cpu: undefined, memory: undefined, writableLayer: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.attributes = readContainerAttributes(r, r.length()); break;
      case 18: m.cpu = readWindowsCpuUsage(r, r.length()); break;
      case 26: m.memory = readWindowsMemoryUsage(r, r.length()); break;
      case 34: m.writableLayer = readWindowsFilesystemUsage(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsContainerStats(w: Writer, m: Init<WindowsContainerStats>): void {
  if (m.attributes !== undefined) { const at = w.open(10); writeContainerAttributes(w, m.attributes); w.close(at); }
  if (m.cpu !== undefined) { const at = w.open(18); writeWindowsCpuUsage(w, m.cpu); w.close(at); }
  if (m.memory !== undefined) { const at = w.open(26); writeWindowsMemoryUsage(w, m.memory); w.close(at); }
  if (m.writableLayer !== undefined) { const at = w.open(34); writeWindowsFilesystemUsage(w, m.writableLayer); w.close(at); }
}
export function decodeWindowsContainerStats(bytes: Uint8Array): WindowsContainerStats {
  const r = new Reader(bytes);
  return readWindowsContainerStats(r, r.end);
}
export function encodeWindowsContainerStats(m: Init<WindowsContainerStats>): Uint8Array {
  const w = new Writer();
  writeWindowsContainerStats(w, m);
  return w.finish();
}

export interface WindowsCpuUsage {
  timestamp: number;
  usageCoreNanoSeconds: UInt64Value | undefined;
  usageNanoCores: UInt64Value | undefined;
}
function readWindowsCpuUsage(r: Reader, end: number): WindowsCpuUsage {
  const m: WindowsCpuUsage = { timestamp: 0, usageCoreNanoSeconds: undefined, usageNanoCores: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.usageCoreNanoSeconds = readUInt64Value(r, r.length()); break;
      case 26: m.usageNanoCores = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsCpuUsage(w: Writer, m: Init<WindowsCpuUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.usageCoreNanoSeconds !== undefined) { const at = w.open(18); writeUInt64Value(w, m.usageCoreNanoSeconds); w.close(at); }
  if (m.usageNanoCores !== undefined) { const at = w.open(26); writeUInt64Value(w, m.usageNanoCores); w.close(at); }
}
export function decodeWindowsCpuUsage(bytes: Uint8Array): WindowsCpuUsage {
  const r = new Reader(bytes);
  return readWindowsCpuUsage(r, r.end);
}
export function encodeWindowsCpuUsage(m: Init<WindowsCpuUsage>): Uint8Array {
  const w = new Writer();
  writeWindowsCpuUsage(w, m);
  return w.finish();
}

export interface WindowsMemoryUsage {
  timestamp: number;
  workingSetBytes: UInt64Value | undefined;
  availableBytes: UInt64Value | undefined;
  pageFaults: UInt64Value | undefined;
  commitMemoryBytes: UInt64Value | undefined;
}
function readWindowsMemoryUsage(r: Reader, end: number): WindowsMemoryUsage {
  const m: WindowsMemoryUsage = { timestamp: 0, workingSetBytes: undefined, availableBytes: undefined, pageFaults: undefined, commitMemoryBytes: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.workingSetBytes = readUInt64Value(r, r.length()); break;
      case 26: m.availableBytes = readUInt64Value(r, r.length()); break;
      case 34: m.pageFaults = readUInt64Value(r, r.length()); break;
      case 42: m.commitMemoryBytes = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsMemoryUsage(w: Writer, m: Init<WindowsMemoryUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.workingSetBytes !== undefined) { const at = w.open(18); writeUInt64Value(w, m.workingSetBytes); w.close(at); }
  if (m.availableBytes !== undefined) { const at = w.open(26); writeUInt64Value(w, m.availableBytes); w.close(at); }
  if (m.pageFaults !== undefined) { const at = w.open(34); writeUInt64Value(w, m.pageFaults); w.close(at); }
  if (m.commitMemoryBytes !== undefined) { const at = w.open(42); writeUInt64Value(w, m.commitMemoryBytes); w.close(at); }
}
export function decodeWindowsMemoryUsage(bytes: Uint8Array): WindowsMemoryUsage {
  const r = new Reader(bytes);
  return readWindowsMemoryUsage(r, r.end);
}
export function encodeWindowsMemoryUsage(m: Init<WindowsMemoryUsage>): Uint8Array {
  const w = new Writer();
  writeWindowsMemoryUsage(w, m);
  return w.finish();
}

export interface WindowsFilesystemUsage {
  timestamp: number;
  fsId: FilesystemIdentifier | undefined;
  usedBytes: UInt64Value | undefined;
}
function readWindowsFilesystemUsage(r: Reader, end: number): WindowsFilesystemUsage {
  const m: WindowsFilesystemUsage = { timestamp: 0, fsId: undefined, usedBytes: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.fsId = readFilesystemIdentifier(r, r.length()); break;
      case 26: m.usedBytes = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsFilesystemUsage(w: Writer, m: Init<WindowsFilesystemUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.fsId !== undefined) { const at = w.open(18); writeFilesystemIdentifier(w, m.fsId); w.close(at); }
  if (m.usedBytes !== undefined) { const at = w.open(26); writeUInt64Value(w, m.usedBytes); w.close(at); }
}
export function decodeWindowsFilesystemUsage(bytes: Uint8Array): WindowsFilesystemUsage {
  const r = new Reader(bytes);
  return readWindowsFilesystemUsage(r, r.end);
}
export function encodeWindowsFilesystemUsage(m: Init<WindowsFilesystemUsage>): Uint8Array {
  const w = new Writer();
  writeWindowsFilesystemUsage(w, m);
  return w.finish();
}

export interface WindowsNetworkUsage {
  timestamp: number;
  defaultInterface: WindowsNetworkInterfaceUsage | undefined;
  interfaces: WindowsNetworkInterfaceUsage[];
}
function readWindowsNetworkUsage(r: Reader, end: number): WindowsNetworkUsage {
  const m: WindowsNetworkUsage = { timestamp: 0, defaultInterface: undefined, interfaces: [] };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.defaultInterface = readWindowsNetworkInterfaceUsage(r, r.length()); break;
      case 26: m.interfaces.push(readWindowsNetworkInterfaceUsage(r, r.length())); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsNetworkUsage(w: Writer, m: Init<WindowsNetworkUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.defaultInterface !== undefined) { const at = w.open(18); writeWindowsNetworkInterfaceUsage(w, m.defaultInterface); w.close(at); }
  if (m.interfaces !== undefined) for (const v of m.interfaces) { const at = w.open(26); writeWindowsNetworkInterfaceUsage(w, v); w.close(at); }
}
export function decodeWindowsNetworkUsage(bytes: Uint8Array): WindowsNetworkUsage {
  const r = new Reader(bytes);
  return readWindowsNetworkUsage(r, r.end);
}
export function encodeWindowsNetworkUsage(m: Init<WindowsNetworkUsage>): Uint8Array {
  const w = new Writer();
  writeWindowsNetworkUsage(w, m);
  return w.finish();
}

export interface WindowsNetworkInterfaceUsage {
  name: string;
  rxBytes: UInt64Value | undefined;
  rxPacketsDropped: UInt64Value | undefined;
  txBytes: UInt64Value | undefined;
  txPacketsDropped: UInt64Value | undefined;
}
function readWindowsNetworkInterfaceUsage(r: Reader, end: number): WindowsNetworkInterfaceUsage {
  const m: WindowsNetworkInterfaceUsage = { name: '', rxBytes: undefined, rxPacketsDropped: undefined, txBytes: undefined, txPacketsDropped: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 10: m.name = r.string(); break;
      case 18: m.rxBytes = readUInt64Value(r, r.length()); break;
      case 26: m.rxPacketsDropped = readUInt64Value(r, r.length()); break;
      case 34: m.txBytes = readUInt64Value(r, r.length()); break;
      case 42: m.txPacketsDropped = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsNetworkInterfaceUsage(w: Writer, m: Init<WindowsNetworkInterfaceUsage>): void {
  if (m.name) w.string(10, m.name);
  if (m.rxBytes !== undefined) { const at = w.open(18); writeUInt64Value(w, m.rxBytes); w.close(at); }
  if (m.rxPacketsDropped !== undefined) { const at = w.open(26); writeUInt64Value(w, m.rxPacketsDropped); w.close(at); }
  if (m.txBytes !== undefined) { const at = w.open(34); writeUInt64Value(w, m.txBytes); w.close(at); }
  if (m.txPacketsDropped !== undefined) { const at = w.open(42); writeUInt64Value(w, m.txPacketsDropped); w.close(at); }
}
export function decodeWindowsNetworkInterfaceUsage(bytes: Uint8Array): WindowsNetworkInterfaceUsage {
  const r = new Reader(bytes);
  return readWindowsNetworkInterfaceUsage(r, r.end);
}
export function encodeWindowsNetworkInterfaceUsage(m: Init<WindowsNetworkInterfaceUsage>): Uint8Array {
  const w = new Writer();
  writeWindowsNetworkInterfaceUsage(w, m);
  return w.finish();
}

export interface WindowsProcessUsage {
  timestamp: number;
  processCount: UInt64Value | undefined;
}
function readWindowsProcessUsage(r: Reader, end: number): WindowsProcessUsage {
  const m: WindowsProcessUsage = { timestamp: 0, processCount: undefined };
  while (r.pos < end) {
    const tag = r.uint32();
    switch (tag) {
      case 8: m.timestamp = r.int64(); break;
      case 18: m.processCount = readUInt64Value(r, r.length()); break;
      default: r.skip(tag);
    }
  }
  r.finish(end);
  return m;
}
function writeWindowsProcessUsage(w: Writer, m: Init<WindowsProcessUsage>): void {
  if (m.timestamp) w.int64(8, m.timestamp);
  if (m.processCount !== undefined) { const at = w.open(18); writeUInt64Value(w, m.processCount); w.close(at); }
}
export function decodeWindowsProcessUsage(bytes: Uint8Array): WindowsProcessUsage {
  const r = new Reader(bytes);
  return readWindowsProcessUsage(r, r.end);
}
export function encodeWindowsProcessUsage(m: Init<WindowsProcessUsage>): Uint8Array {
  const w = new Writer();
  writeWindowsProcessUsage(w, m);
  return w.finish();
}

export const RuntimeService = {
  Version: { service: 'RuntimeService', name: 'Version', serverStreaming: false, encodeRequest: encodeVersionRequest, decodeResponse: decodeVersionResponse } satisfies Method<VersionRequest, VersionResponse>,
  RunPodSandbox: { service: 'RuntimeService', name: 'RunPodSandbox', serverStreaming: false, encodeRequest: encodeRunPodSandboxRequest, decodeResponse: decodeRunPodSandboxResponse } satisfies Method<RunPodSandboxRequest, RunPodSandboxResponse>,
  StopPodSandbox: { service: 'RuntimeService', name: 'StopPodSandbox', serverStreaming: false, encodeRequest: encodeStopPodSandboxRequest, decodeResponse: decodeStopPodSandboxResponse } satisfies Method<StopPodSandboxRequest, StopPodSandboxResponse>,
  RemovePodSandbox: { service: 'RuntimeService', name: 'RemovePodSandbox', serverStreaming: false, encodeRequest: encodeRemovePodSandboxRequest, decodeResponse: decodeRemovePodSandboxResponse } satisfies Method<RemovePodSandboxRequest, RemovePodSandboxResponse>,
  PodSandboxStatus: { service: 'RuntimeService', name: 'PodSandboxStatus', serverStreaming: false, encodeRequest: encodePodSandboxStatusRequest, decodeResponse: decodePodSandboxStatusResponse } satisfies Method<PodSandboxStatusRequest, PodSandboxStatusResponse>,
  ListPodSandbox: { service: 'RuntimeService', name: 'ListPodSandbox', serverStreaming: false, encodeRequest: encodeListPodSandboxRequest, decodeResponse: decodeListPodSandboxResponse } satisfies Method<ListPodSandboxRequest, ListPodSandboxResponse>,
  StreamPodSandboxes: { service: 'RuntimeService', name: 'StreamPodSandboxes', serverStreaming: true, encodeRequest: encodeStreamPodSandboxesRequest, decodeResponse: decodeStreamPodSandboxesResponse } satisfies Method<StreamPodSandboxesRequest, StreamPodSandboxesResponse>,
  CreateContainer: { service: 'RuntimeService', name: 'CreateContainer', serverStreaming: false, encodeRequest: encodeCreateContainerRequest, decodeResponse: decodeCreateContainerResponse } satisfies Method<CreateContainerRequest, CreateContainerResponse>,
  StartContainer: { service: 'RuntimeService', name: 'StartContainer', serverStreaming: false, encodeRequest: encodeStartContainerRequest, decodeResponse: decodeStartContainerResponse } satisfies Method<StartContainerRequest, StartContainerResponse>,
  StopContainer: { service: 'RuntimeService', name: 'StopContainer', serverStreaming: false, encodeRequest: encodeStopContainerRequest, decodeResponse: decodeStopContainerResponse } satisfies Method<StopContainerRequest, StopContainerResponse>,
  RemoveContainer: { service: 'RuntimeService', name: 'RemoveContainer', serverStreaming: false, encodeRequest: encodeRemoveContainerRequest, decodeResponse: decodeRemoveContainerResponse } satisfies Method<RemoveContainerRequest, RemoveContainerResponse>,
  ListContainers: { service: 'RuntimeService', name: 'ListContainers', serverStreaming: false, encodeRequest: encodeListContainersRequest, decodeResponse: decodeListContainersResponse } satisfies Method<ListContainersRequest, ListContainersResponse>,
  StreamContainers: { service: 'RuntimeService', name: 'StreamContainers', serverStreaming: true, encodeRequest: encodeStreamContainersRequest, decodeResponse: decodeStreamContainersResponse } satisfies Method<StreamContainersRequest, StreamContainersResponse>,
  ContainerStatus: { service: 'RuntimeService', name: 'ContainerStatus', serverStreaming: false, encodeRequest: encodeContainerStatusRequest, decodeResponse: decodeContainerStatusResponse } satisfies Method<ContainerStatusRequest, ContainerStatusResponse>,
  UpdateContainerResources: { service: 'RuntimeService', name: 'UpdateContainerResources', serverStreaming: false, encodeRequest: encodeUpdateContainerResourcesRequest, decodeResponse: decodeUpdateContainerResourcesResponse } satisfies Method<UpdateContainerResourcesRequest, UpdateContainerResourcesResponse>,
  ReopenContainerLog: { service: 'RuntimeService', name: 'ReopenContainerLog', serverStreaming: false, encodeRequest: encodeReopenContainerLogRequest, decodeResponse: decodeReopenContainerLogResponse } satisfies Method<ReopenContainerLogRequest, ReopenContainerLogResponse>,
  ExecSync: { service: 'RuntimeService', name: 'ExecSync', serverStreaming: false, encodeRequest: encodeExecSyncRequest, decodeResponse: decodeExecSyncResponse } satisfies Method<ExecSyncRequest, ExecSyncResponse>,
  Exec: { service: 'RuntimeService', name: 'Exec', serverStreaming: false, encodeRequest: encodeExecRequest, decodeResponse: decodeExecResponse } satisfies Method<ExecRequest, ExecResponse>,
  Attach: { service: 'RuntimeService', name: 'Attach', serverStreaming: false, encodeRequest: encodeAttachRequest, decodeResponse: decodeAttachResponse } satisfies Method<AttachRequest, AttachResponse>,
  PortForward: { service: 'RuntimeService', name: 'PortForward', serverStreaming: false, encodeRequest: encodePortForwardRequest, decodeResponse: decodePortForwardResponse } satisfies Method<PortForwardRequest, PortForwardResponse>,
  ContainerStats: { service: 'RuntimeService', name: 'ContainerStats', serverStreaming: false, encodeRequest: encodeContainerStatsRequest, decodeResponse: decodeContainerStatsResponse } satisfies Method<ContainerStatsRequest, ContainerStatsResponse>,
  ListContainerStats: { service: 'RuntimeService', name: 'ListContainerStats', serverStreaming: false, encodeRequest: encodeListContainerStatsRequest, decodeResponse: decodeListContainerStatsResponse } satisfies Method<ListContainerStatsRequest, ListContainerStatsResponse>,
  StreamContainerStats: { service: 'RuntimeService', name: 'StreamContainerStats', serverStreaming: true, encodeRequest: encodeStreamContainerStatsRequest, decodeResponse: decodeStreamContainerStatsResponse } satisfies Method<StreamContainerStatsRequest, StreamContainerStatsResponse>,
  PodSandboxStats: { service: 'RuntimeService', name: 'PodSandboxStats', serverStreaming: false, encodeRequest: encodePodSandboxStatsRequest, decodeResponse: decodePodSandboxStatsResponse } satisfies Method<PodSandboxStatsRequest, PodSandboxStatsResponse>,
  ListPodSandboxStats: { service: 'RuntimeService', name: 'ListPodSandboxStats', serverStreaming: false, encodeRequest: encodeListPodSandboxStatsRequest, decodeResponse: decodeListPodSandboxStatsResponse } satisfies Method<ListPodSandboxStatsRequest, ListPodSandboxStatsResponse>,
  StreamPodSandboxStats: { service: 'RuntimeService', name: 'StreamPodSandboxStats', serverStreaming: true, encodeRequest: encodeStreamPodSandboxStatsRequest, decodeResponse: decodeStreamPodSandboxStatsResponse } satisfies Method<StreamPodSandboxStatsRequest, StreamPodSandboxStatsResponse>,
  UpdateRuntimeConfig: { service: 'RuntimeService', name: 'UpdateRuntimeConfig', serverStreaming: false, encodeRequest: encodeUpdateRuntimeConfigRequest, decodeResponse: decodeUpdateRuntimeConfigResponse } satisfies Method<UpdateRuntimeConfigRequest, UpdateRuntimeConfigResponse>,
  Status: { service: 'RuntimeService', name: 'Status', serverStreaming: false, encodeRequest: encodeStatusRequest, decodeResponse: decodeStatusResponse } satisfies Method<StatusRequest, StatusResponse>,
  CheckpointContainer: { service: 'RuntimeService', name: 'CheckpointContainer', serverStreaming: false, encodeRequest: encodeCheckpointContainerRequest, decodeResponse: decodeCheckpointContainerResponse } satisfies Method<CheckpointContainerRequest, CheckpointContainerResponse>,
  GetContainerEvents: { service: 'RuntimeService', name: 'GetContainerEvents', serverStreaming: true, encodeRequest: encodeGetEventsRequest, decodeResponse: decodeContainerEventResponse } satisfies Method<GetEventsRequest, ContainerEventResponse>,
  ListMetricDescriptors: { service: 'RuntimeService', name: 'ListMetricDescriptors', serverStreaming: false, encodeRequest: encodeListMetricDescriptorsRequest, decodeResponse: decodeListMetricDescriptorsResponse } satisfies Method<ListMetricDescriptorsRequest, ListMetricDescriptorsResponse>,
  ListPodSandboxMetrics: { service: 'RuntimeService', name: 'ListPodSandboxMetrics', serverStreaming: false, encodeRequest: encodeListPodSandboxMetricsRequest, decodeResponse: decodeListPodSandboxMetricsResponse } satisfies Method<ListPodSandboxMetricsRequest, ListPodSandboxMetricsResponse>,
  StreamPodSandboxMetrics: { service: 'RuntimeService', name: 'StreamPodSandboxMetrics', serverStreaming: true, encodeRequest: encodeStreamPodSandboxMetricsRequest, decodeResponse: decodeStreamPodSandboxMetricsResponse } satisfies Method<StreamPodSandboxMetricsRequest, StreamPodSandboxMetricsResponse>,
  RuntimeConfig: { service: 'RuntimeService', name: 'RuntimeConfig', serverStreaming: false, encodeRequest: encodeRuntimeConfigRequest, decodeResponse: decodeRuntimeConfigResponse } satisfies Method<RuntimeConfigRequest, RuntimeConfigResponse>,
  UpdatePodSandboxResources: { service: 'RuntimeService', name: 'UpdatePodSandboxResources', serverStreaming: false, encodeRequest: encodeUpdatePodSandboxResourcesRequest, decodeResponse: decodeUpdatePodSandboxResourcesResponse } satisfies Method<UpdatePodSandboxResourcesRequest, UpdatePodSandboxResourcesResponse>,
} as const;

export const ImageService = {
  ListImages: { service: 'ImageService', name: 'ListImages', serverStreaming: false, encodeRequest: encodeListImagesRequest, decodeResponse: decodeListImagesResponse } satisfies Method<ListImagesRequest, ListImagesResponse>,
  StreamImages: { service: 'ImageService', name: 'StreamImages', serverStreaming: true, encodeRequest: encodeStreamImagesRequest, decodeResponse: decodeStreamImagesResponse } satisfies Method<StreamImagesRequest, StreamImagesResponse>,
  ImageStatus: { service: 'ImageService', name: 'ImageStatus', serverStreaming: false, encodeRequest: encodeImageStatusRequest, decodeResponse: decodeImageStatusResponse } satisfies Method<ImageStatusRequest, ImageStatusResponse>,
  PullImage: { service: 'ImageService', name: 'PullImage', serverStreaming: false, encodeRequest: encodePullImageRequest, decodeResponse: decodePullImageResponse } satisfies Method<PullImageRequest, PullImageResponse>,
  RemoveImage: { service: 'ImageService', name: 'RemoveImage', serverStreaming: false, encodeRequest: encodeRemoveImageRequest, decodeResponse: decodeRemoveImageResponse } satisfies Method<RemoveImageRequest, RemoveImageResponse>,
  ImageFsInfo: { service: 'ImageService', name: 'ImageFsInfo', serverStreaming: false, encodeRequest: encodeImageFsInfoRequest, decodeResponse: decodeImageFsInfoResponse } satisfies Method<ImageFsInfoRequest, ImageFsInfoResponse>,
} as const;
