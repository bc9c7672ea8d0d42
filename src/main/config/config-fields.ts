/**
 * Every field of KubeletConfiguration v1beta1 with its wire type and unconditional default.
 * Decoding, defaulting, merging, flag parsing, --help and /configz all derive from this table.
 * Invariants: keys are exactly the leaf paths of `KubeletConfiguration` (checked by the compiler); a `*` type
 * honours an explicit zero, any other type treats zero as "unset" and takes the default.
 * Defaults that depend on another field or on a gate are in `default-configuration.ts`.
 */
import type { JsonValue } from './json-value.ts';
import type { ConfigPath } from './kubelet-configuration.ts';

export type ScalarType =
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'float'
  | 'string'
  | 'duration'
  | 'durationOrNanos'
  | 'quantity';
export type CompositeType =
  | 'strings'
  | 'int32s'
  | 'stringMap'
  | 'boolMap'
  | 'stringsMap'
  | 'taints'
  | 'memoryReservations'
  | 'shutdownPeriods'
  | 'verbosityPatterns';
export type FieldType = ScalarType | `${ScalarType}*` | CompositeType;

export interface FieldSpec {
  readonly type: FieldType;
  readonly default?: JsonValue;
}

const CONFIG_FIELDS = {
  staticPodPath: { type: 'string' },
  staticPodURL: { type: 'string' },
  staticPodURLHeader: { type: 'stringsMap' },
  podLogsDir: { type: 'string', default: '/var/log/pods' },
  syncFrequency: { type: 'duration', default: '1m0s' },
  fileCheckFrequency: { type: 'duration', default: '20s' },
  httpCheckFrequency: { type: 'duration', default: '20s' },

  enableServer: { type: 'bool*', default: true },
  address: { type: 'string', default: '0.0.0.0' },
  port: { type: 'int32', default: 10250 },
  readOnlyPort: { type: 'int32' },
  healthzPort: { type: 'int32*', default: 10248 },
  healthzBindAddress: { type: 'string', default: '127.0.0.1' },
  tlsCertFile: { type: 'string' },
  tlsPrivateKeyFile: { type: 'string' },
  tlsCipherSuites: { type: 'strings' },
  tlsCurvePreferences: { type: 'int32s' },
  tlsMinVersion: { type: 'string' },
  rotateCertificates: { type: 'bool' },
  serverTLSBootstrap: { type: 'bool' },
  'authentication.x509.clientCAFile': { type: 'string' },
  'authentication.webhook.enabled': { type: 'bool*', default: true },
  'authentication.webhook.cacheTTL': { type: 'duration', default: '2m0s' },
  'authentication.anonymous.enabled': { type: 'bool*', default: false },
  'authorization.mode': { type: 'string', default: 'Webhook' },
  'authorization.webhook.cacheAuthorizedTTL': { type: 'duration', default: '5m0s' },
  'authorization.webhook.cacheUnauthorizedTTL': { type: 'duration', default: '30s' },
  enableDebuggingHandlers: { type: 'bool*', default: true },
  enableContentionProfiling: { type: 'bool' },
  enableSystemLogHandler: { type: 'bool*', default: true },
  enableSystemLogQuery: { type: 'bool*', default: false },
  enableProfilingHandler: { type: 'bool*', default: true },
  enableDebugFlagsHandler: { type: 'bool*', default: true },
  streamingConnectionIdleTimeout: { type: 'duration', default: '4h0m0s' },
  showHiddenMetricsForVersion: { type: 'string' },

  contentType: { type: 'string', default: 'application/vnd.kubernetes.protobuf' },
  kubeAPIQPS: { type: 'int32*', default: 50 },
  kubeAPIBurst: { type: 'int32', default: 100 },
  eventRecordQPS: { type: 'int32*', default: 50 },
  eventBurst: { type: 'int32', default: 100 },
  configMapAndSecretChangeDetectionStrategy: { type: 'string', default: 'Watch' },

  registerNode: { type: 'bool*', default: true },
  registerWithTaints: { type: 'taints' },
  providerID: { type: 'string' },
  nodeStatusUpdateFrequency: { type: 'duration', default: '10s' },
  nodeStatusReportFrequency: { type: 'duration', default: '5m0s' },
  nodeLeaseDurationSeconds: { type: 'int32', default: 40 },
  nodeStatusMaxImages: { type: 'int32*', default: 50 },
  podCIDR: { type: 'string' },
  maxPods: { type: 'int32', default: 110 },
  podsPerCore: { type: 'int32' },

  containerRuntimeEndpoint: { type: 'string', default: 'unix:///run/containerd/containerd.sock' },
  imageServiceEndpoint: { type: 'string' },
  runtimeRequestTimeout: { type: 'duration', default: '2m0s' },
  serializeImagePulls: { type: 'bool*', default: true },
  maxParallelImagePulls: { type: 'int32*' },
  registryPullQPS: { type: 'int32*', default: 5 },
  registryBurst: { type: 'int32', default: 10 },
  imagePullCredentialsVerificationPolicy: { type: 'string*' },
  preloadedImagesVerificationAllowlist: { type: 'strings' },
  imageMinimumGCAge: { type: 'duration', default: '2m0s' },
  imageMaximumGCAge: { type: 'duration', default: '0s' },
  imageGCHighThresholdPercent: { type: 'int32*', default: 85 },
  imageGCLowThresholdPercent: { type: 'int32*', default: 80 },
  containerLogMaxSize: { type: 'string', default: '10Mi' },
  containerLogMaxFiles: { type: 'int32*', default: 5 },
  containerLogMaxWorkers: { type: 'int32*', default: 1 },
  containerLogMonitorInterval: { type: 'duration*', default: '10s' },
  'crashLoopBackOff.maxContainerRestartPeriod': { type: 'duration*' },

  clusterDomain: { type: 'string' },
  clusterDNS: { type: 'strings' },
  resolvConf: { type: 'string*', default: '/etc/resolv.conf' },
  hairpinMode: { type: 'string', default: 'promiscuous-bridge' },
  seccompDefault: { type: 'bool*', default: false },
  allowedUnsafeSysctls: { type: 'strings' },
  cpuCFSQuota: { type: 'bool*', default: true },
  cpuCFSQuotaPeriod: { type: 'duration*', default: '100ms' },
  podPidsLimit: { type: 'int64*', default: -1 },
  singleProcessOOMKill: { type: 'bool*' },
  'memorySwap.swapBehavior': { type: 'string' },
  'userNamespaces.idsPerPod': { type: 'int64*', default: 65536 },

  volumePluginDir: { type: 'string', default: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/' },
  volumeStatsAggPeriod: { type: 'duration', default: '1m0s' },
  enableControllerAttachDetach: { type: 'bool*', default: true },
  localStorageCapacityIsolation: { type: 'bool*', default: true },

  cgroupRoot: { type: 'string' },
  cgroupsPerQOS: { type: 'bool*', default: true },
  cgroupDriver: { type: 'string', default: 'cgroupfs' },
  failCgroupV1: { type: 'bool*', default: true },
  failSwapOn: { type: 'bool*', default: true },
  kubeletCgroups: { type: 'string' },
  systemCgroups: { type: 'string' },
  systemReserved: { type: 'stringMap' },
  kubeReserved: { type: 'stringMap' },
  systemReservedCgroup: { type: 'string' },
  kubeReservedCgroup: { type: 'string' },
  reservedSystemCPUs: { type: 'string' },
  reservedMemory: { type: 'memoryReservations' },
  enforceNodeAllocatable: { type: 'strings', default: ['pods'] },
  qosReserved: { type: 'stringMap' },
  cpuManagerPolicy: { type: 'string', default: 'none' },
  cpuManagerPolicyOptions: { type: 'stringMap' },
  cpuManagerReconcilePeriod: { type: 'duration', default: '10s' },
  memoryManagerPolicy: { type: 'string', default: 'None' },
  topologyManagerPolicy: { type: 'string', default: 'none' },
  topologyManagerScope: { type: 'string', default: 'container' },
  topologyManagerPolicyOptions: { type: 'stringMap' },
  memoryThrottlingFactor: { type: 'float*', default: 0.9 },
  memoryReservationPolicy: { type: 'string', default: 'None' },

  evictionHard: { type: 'stringMap' },
  evictionSoft: { type: 'stringMap' },
  evictionSoftGracePeriod: { type: 'stringMap' },
  evictionPressureTransitionPeriod: { type: 'duration', default: '5m0s' },
  evictionMaxPodGracePeriod: { type: 'int32' },
  evictionMinimumReclaim: { type: 'stringMap' },
  mergeDefaultEvictionSettings: { type: 'bool*', default: false },
  kernelMemcgNotification: { type: 'bool' },
  shutdownGracePeriod: { type: 'duration', default: '0s' },
  shutdownGracePeriodCriticalPods: { type: 'duration', default: '0s' },
  shutdownGracePeriodByPodPriority: { type: 'shutdownPeriods' },

  oomScoreAdj: { type: 'int32*', default: -999 },
  maxOpenFiles: { type: 'int64', default: 1_000_000 },
  protectKernelDefaults: { type: 'bool' },
  makeIPTablesUtilChains: { type: 'bool*', default: true },
  iptablesMasqueradeBit: { type: 'int32*', default: 14 },
  iptablesDropBit: { type: 'int32*', default: 15 },
  runOnce: { type: 'bool' },
  featureGates: { type: 'boolMap' },
  'logging.format': { type: 'string', default: 'text' },
  'logging.flushFrequency': { type: 'durationOrNanos', default: '5s' },
  'logging.verbosity': { type: 'uint32' },
  'logging.vmodule': { type: 'verbosityPatterns' },
  'logging.options.text.splitStream': { type: 'bool' },
  'logging.options.text.infoBufferSize': { type: 'quantity' },
  'logging.options.json.splitStream': { type: 'bool' },
  'logging.options.json.infoBufferSize': { type: 'quantity' },
  'tracing.endpoint': { type: 'string*' },
  'tracing.samplingRatePerMillion': { type: 'int32*' },
} as const satisfies Record<ConfigPath, FieldSpec>;

/** The table as rows; the order is the order of the table. */
export const CONFIG_PATHS = Object.keys(CONFIG_FIELDS) as readonly ConfigPath[];

export function fieldSpec(path: ConfigPath): FieldSpec {
  return CONFIG_FIELDS[path];
}

/** True for a `*` type: unset and zero are different things. */
export function isPointer(type: FieldType): boolean {
  return type.endsWith('*');
}

/** The type without its `*`. */
export function plainType(type: FieldType): ScalarType | CompositeType {
  return type.replace(/\*$/, '') as ScalarType | CompositeType;
}

/** What a field without a value and without a default holds; `undefined` for pointers, which stay unset. */
export function zeroValue(type: FieldType): JsonValue | undefined {
  if (isPointer(type)) return undefined;
  switch (plainType(type)) {
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'float':
      return 0;
    case 'string':
      return '';
    case 'duration':
    case 'durationOrNanos':
      return '0s';
    case 'quantity':
      return '0';
    case 'stringMap':
    case 'boolMap':
    case 'stringsMap':
      return {};
    default:
      return [];
  }
}
