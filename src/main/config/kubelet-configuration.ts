/**
 * The effective KubeletConfiguration (kubelet.config.k8s.io/v1beta1), after defaulting and merging.
 * Field names and shapes are those of the API, so that the object prints as it is on /configz.
 * Durations are canonical Go text (`durationMs` turns one into a number), quantities are quantity text.
 * Invariant: a field with a default is always present; an optional member is one the API leaves unset.
 * `config-fields.ts` describes the same fields at run time; the compiler holds the two together.
 */
import type { StringMap } from '../../core/api/meta.ts';
import type { Duration } from './parse-duration.ts';

export const CONFIG_API_VERSION = 'kubelet.config.k8s.io/v1beta1';
export const CONFIG_KIND = 'KubeletConfiguration';

export interface KubeletConfiguration {
  // Pod sources and the pace of the agent
  readonly staticPodPath: string;
  readonly staticPodURL: string;
  readonly staticPodURLHeader: Readonly<Record<string, readonly string[]>>;
  readonly podLogsDir: string;
  readonly syncFrequency: Duration;
  readonly fileCheckFrequency: Duration;
  readonly httpCheckFrequency: Duration;

  // Servers
  readonly enableServer: boolean;
  readonly address: string;
  readonly port: number;
  readonly readOnlyPort: number;
  readonly healthzPort: number;
  readonly healthzBindAddress: string;
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  readonly tlsCipherSuites: readonly string[];
  readonly tlsCurvePreferences: readonly number[];
  readonly tlsMinVersion: string;
  readonly rotateCertificates: boolean;
  readonly serverTLSBootstrap: boolean;
  readonly authentication: AuthenticationConfiguration;
  readonly authorization: AuthorizationConfiguration;
  readonly enableDebuggingHandlers: boolean;
  readonly enableContentionProfiling: boolean;
  readonly enableSystemLogHandler: boolean;
  readonly enableSystemLogQuery: boolean;
  readonly enableProfilingHandler: boolean;
  readonly enableDebugFlagsHandler: boolean;
  readonly streamingConnectionIdleTimeout: Duration;
  readonly showHiddenMetricsForVersion: string;

  // Talking to the API server
  readonly contentType: string;
  readonly kubeAPIQPS: number;
  readonly kubeAPIBurst: number;
  readonly eventRecordQPS: number;
  readonly eventBurst: number;
  readonly configMapAndSecretChangeDetectionStrategy: string;

  // The node object
  readonly registerNode: boolean;
  readonly registerWithTaints: readonly ConfiguredTaint[];
  readonly providerID: string;
  readonly nodeStatusUpdateFrequency: Duration;
  readonly nodeStatusReportFrequency: Duration;
  readonly nodeLeaseDurationSeconds: number;
  readonly nodeStatusMaxImages: number;
  readonly podCIDR: string;
  readonly maxPods: number;
  readonly podsPerCore: number;

  // The container runtime, images and logs
  readonly containerRuntimeEndpoint: string;
  readonly imageServiceEndpoint: string;
  readonly runtimeRequestTimeout: Duration;
  readonly serializeImagePulls: boolean;
  readonly maxParallelImagePulls?: number;
  readonly registryPullQPS: number;
  readonly registryBurst: number;
  /** Absent while the gate KubeletEnsureSecretPulledImages is off. */
  readonly imagePullCredentialsVerificationPolicy?: string;
  readonly preloadedImagesVerificationAllowlist: readonly string[];
  readonly imageMinimumGCAge: Duration;
  readonly imageMaximumGCAge: Duration;
  readonly imageGCHighThresholdPercent: number;
  readonly imageGCLowThresholdPercent: number;
  readonly containerLogMaxSize: string;
  readonly containerLogMaxFiles: number;
  readonly containerLogMaxWorkers: number;
  readonly containerLogMonitorInterval: Duration;
  readonly crashLoopBackOff: CrashLoopBackOffConfiguration;

  // What containers are given
  readonly clusterDomain: string;
  readonly clusterDNS: readonly string[];
  readonly resolvConf: string;
  readonly hairpinMode: string;
  readonly seccompDefault: boolean;
  readonly allowedUnsafeSysctls: readonly string[];
  readonly cpuCFSQuota: boolean;
  readonly cpuCFSQuotaPeriod: Duration;
  readonly podPidsLimit: number;
  readonly singleProcessOOMKill?: boolean;
  readonly memorySwap: MemorySwapConfiguration;
  readonly userNamespaces: UserNamespacesConfiguration;

  // Volumes
  readonly volumePluginDir: string;
  readonly volumeStatsAggPeriod: Duration;
  readonly enableControllerAttachDetach: boolean;
  readonly localStorageCapacityIsolation: boolean;

  // Cgroups, reservations and resource assignment
  readonly cgroupRoot: string;
  readonly cgroupsPerQOS: boolean;
  readonly cgroupDriver: string;
  readonly failCgroupV1: boolean;
  readonly failSwapOn: boolean;
  readonly kubeletCgroups: string;
  readonly systemCgroups: string;
  readonly systemReserved: StringMap;
  readonly kubeReserved: StringMap;
  readonly systemReservedCgroup: string;
  readonly kubeReservedCgroup: string;
  readonly reservedSystemCPUs: string;
  readonly reservedMemory: readonly MemoryReservation[];
  readonly enforceNodeAllocatable: readonly string[];
  readonly qosReserved: StringMap;
  readonly cpuManagerPolicy: string;
  readonly cpuManagerPolicyOptions: StringMap;
  readonly cpuManagerReconcilePeriod: Duration;
  readonly memoryManagerPolicy: string;
  readonly topologyManagerPolicy: string;
  readonly topologyManagerScope: string;
  readonly topologyManagerPolicyOptions: StringMap;
  readonly memoryThrottlingFactor: number;
  readonly memoryReservationPolicy: string;

  // Eviction and shutdown
  readonly evictionHard: StringMap;
  readonly evictionSoft: StringMap;
  readonly evictionSoftGracePeriod: StringMap;
  readonly evictionPressureTransitionPeriod: Duration;
  readonly evictionMaxPodGracePeriod: number;
  readonly evictionMinimumReclaim: StringMap;
  readonly mergeDefaultEvictionSettings: boolean;
  readonly kernelMemcgNotification: boolean;
  readonly shutdownGracePeriod: Duration;
  readonly shutdownGracePeriodCriticalPods: Duration;
  readonly shutdownGracePeriodByPodPriority: readonly ShutdownGracePeriod[];

  // The process and the host
  readonly oomScoreAdj: number;
  readonly maxOpenFiles: number;
  readonly protectKernelDefaults: boolean;
  readonly makeIPTablesUtilChains: boolean;
  readonly iptablesMasqueradeBit: number;
  readonly iptablesDropBit: number;
  readonly runOnce: boolean;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly logging: LoggingConfiguration;
  /** Present (even empty) means tracing is on. */
  readonly tracing?: TracingConfiguration;
}

export interface AuthenticationConfiguration {
  readonly x509: { readonly clientCAFile: string };
  readonly webhook: { readonly enabled: boolean; readonly cacheTTL: Duration };
  readonly anonymous: { readonly enabled: boolean };
}

export interface AuthorizationConfiguration {
  readonly mode: string;
  readonly webhook: { readonly cacheAuthorizedTTL: Duration; readonly cacheUnauthorizedTTL: Duration };
}

export interface ConfiguredTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface CrashLoopBackOffConfiguration {
  /** Absent while the gate KubeletCrashLoopBackOffMax is off. */
  readonly maxContainerRestartPeriod?: Duration;
}

export interface MemorySwapConfiguration {
  readonly swapBehavior: string;
}

export interface UserNamespacesConfiguration {
  readonly idsPerPod: number;
}

interface MemoryReservation {
  readonly numaNode: number;
  /** Resource name (memory, hugepages-<size>) to quantity text. */
  readonly limits: StringMap;
}

export interface ShutdownGracePeriod {
  readonly priority: number;
  readonly shutdownGracePeriodSeconds: number;
}

export interface LoggingConfiguration {
  readonly format: string;
  readonly flushFrequency: Duration;
  readonly verbosity: number;
  readonly vmodule: readonly VerbosityPattern[];
  readonly options: { readonly text: LogStreamOptions; readonly json: LogStreamOptions };
}

export interface VerbosityPattern {
  readonly filePattern: string;
  readonly verbosity: number;
}

export interface LogStreamOptions {
  readonly splitStream: boolean;
  readonly infoBufferSize: string;
}

export interface TracingConfiguration {
  readonly endpoint?: string;
  readonly samplingRatePerMillion?: number;
}

type Leaf = string | number | boolean | readonly unknown[];

/** Dotted paths of the fields that hold a value: scalars, lists and maps with free keys. */
export type ConfigPath<T = KubeletConfiguration> = {
  [K in keyof T & string]-?: NonNullable<T[K]> extends Leaf
    ? K
    : string extends keyof NonNullable<T[K]>
      ? K
      : `${K}.${ConfigPath<NonNullable<T[K]>>}`;
}[keyof T & string];
