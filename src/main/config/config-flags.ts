/**
 * The flags that map to KubeletConfiguration fields: flag, field path, one phrase for --help.
 * A flag's type and default come from the field's row in `config-fields.ts`; the few exceptions are below.
 * All of these are deprecated in favour of --config, except the names in `KEPT_FLAGS`.
 */
import { fieldSpec, plainType, zeroValue } from './config-fields.ts';
import type { FlagType } from './flag-values.ts';
import type { JsonValue } from './json-value.ts';
import type { ConfigPath } from './kubelet-configuration.ts';

export type ConfigFlagRow = readonly [flag: string, path: ConfigPath, about: string];

export const CONFIG_FLAGS: readonly ConfigFlagRow[] = [
  ['enable-server', 'enableServer', 'run the HTTPS server'],
  ['pod-manifest-path', 'staticPodPath', 'static pod file or directory'],
  ['sync-frequency', 'syncFrequency', 'longest time between two syncs of a pod'],
  ['file-check-frequency', 'fileCheckFrequency', 'interval between static pod reads'],
  ['http-check-frequency', 'httpCheckFrequency', 'interval between static pod URL reads'],
  ['manifest-url', 'staticPodURL', 'URL of static pods'],
  ['manifest-url-header', 'staticPodURLHeader', 'headers for the static pod URL'],
  ['address', 'address', 'address of the servers'],
  ['port', 'port', 'port of the HTTPS server'],
  ['read-only-port', 'readOnlyPort', 'port of the plain read-only server, 0 = off'],
  ['fail-cgroupv1', 'failCgroupV1', 'refuse to start on cgroup v1'],
  ['fail-swap-on', 'failSwapOn', 'refuse to start while swap is on'],
  ['container-runtime-endpoint', 'containerRuntimeEndpoint', 'CRI endpoint'],
  ['image-service-endpoint', 'imageServiceEndpoint', 'CRI image endpoint, empty = the same'],
  ['anonymous-auth', 'authentication.anonymous.enabled', 'allow anonymous requests'],
  ['authentication-token-webhook', 'authentication.webhook.enabled', 'check tokens by TokenReview'],
  ['authentication-token-webhook-cache-ttl', 'authentication.webhook.cacheTTL', 'life of a token answer'],
  ['client-ca-file', 'authentication.x509.clientCAFile', 'CA bundle for client certificates'],
  ['authorization-mode', 'authorization.mode', 'AlwaysAllow or Webhook'],
  ['authorization-webhook-cache-authorized-ttl', 'authorization.webhook.cacheAuthorizedTTL', 'life of "yes"'],
  [
    'authorization-webhook-cache-unauthorized-ttl',
    'authorization.webhook.cacheUnauthorizedTTL',
    'life of "no"',
  ],
  ['tls-cert-file', 'tlsCertFile', 'serving certificate'],
  ['tls-private-key-file', 'tlsPrivateKeyFile', 'serving key'],
  ['tls-cipher-suites', 'tlsCipherSuites', 'TLS cipher suites'],
  ['tls-min-version', 'tlsMinVersion', 'least TLS version'],
  ['rotate-certificates', 'rotateCertificates', 'rotate the client certificate'],
  ['rotate-server-certificates', 'serverTLSBootstrap', 'request and rotate the serving certificate'],
  ['registry-qps', 'registryPullQPS', 'image pulls per second, 0 = no limit'],
  ['registry-burst', 'registryBurst', 'burst of image pulls'],
  ['event-qps', 'eventRecordQPS', 'events per second'],
  ['event-burst', 'eventBurst', 'burst of events'],
  ['enable-debugging-handlers', 'enableDebuggingHandlers', 'serve logs, exec and the like'],
  ['contention-profiling', 'enableContentionProfiling', 'lock contention profiling'],
  ['healthz-port', 'healthzPort', 'port of the health server, 0 = off'],
  ['healthz-bind-address', 'healthzBindAddress', 'address of the health server'],
  ['oom-score-adj', 'oomScoreAdj', 'oom_score_adj of this process'],
  ['cluster-domain', 'clusterDomain', 'DNS domain of the cluster'],
  ['cluster-dns', 'clusterDNS', 'DNS servers of the cluster'],
  ['volume-plugin-dir', 'volumePluginDir', 'directory of volume plugins'],
  ['streaming-connection-idle-timeout', 'streamingConnectionIdleTimeout', 'no effect'],
  ['node-status-update-frequency', 'nodeStatusUpdateFrequency', 'interval of node status checks'],
  ['minimum-image-ttl-duration', 'imageMinimumGCAge', 'least age of an image before removal'],
  ['image-gc-high-threshold', 'imageGCHighThresholdPercent', 'disk use that starts image removal'],
  ['image-gc-low-threshold', 'imageGCLowThresholdPercent', 'disk use image removal aims for'],
  ['volume-stats-agg-period', 'volumeStatsAggPeriod', 'interval of volume statistics'],
  ['feature-gates', 'featureGates', 'Gate=true|false pairs'],
  ['kubelet-cgroups', 'kubeletCgroups', 'cgroup of this process'],
  ['system-cgroups', 'systemCgroups', 'cgroup for non-kernel processes'],
  ['provider-id', 'providerID', 'node id at the provider'],
  ['cgroups-per-qos', 'cgroupsPerQOS', 'create the QoS cgroup tree'],
  ['cgroup-driver', 'cgroupDriver', 'cgroupfs or systemd'],
  ['cgroup-root', 'cgroupRoot', 'root cgroup of pods'],
  ['cpu-manager-policy', 'cpuManagerPolicy', 'none or static'],
  ['cpu-manager-policy-options', 'cpuManagerPolicyOptions', 'options of the CPU policy'],
  ['cpu-manager-reconcile-period', 'cpuManagerReconcilePeriod', 'interval of CPU reconciliation'],
  ['qos-reserved', 'qosReserved', 'memory=N% kept for guaranteed pods'],
  ['topology-manager-policy', 'topologyManagerPolicy', 'none, best-effort, restricted, single-numa-node'],
  ['topology-manager-scope', 'topologyManagerScope', 'container or pod'],
  ['topology-manager-policy-options', 'topologyManagerPolicyOptions', 'options of the topology policy'],
  ['memory-manager-policy', 'memoryManagerPolicy', 'None or Static'],
  ['reserved-memory', 'reservedMemory', 'memory reserved per NUMA node'],
  ['runtime-request-timeout', 'runtimeRequestTimeout', 'timeout of CRI calls'],
  ['hairpin-mode', 'hairpinMode', 'promiscuous-bridge, hairpin-veth or none'],
  ['max-pods', 'maxPods', 'most pods on this node'],
  ['pods-per-core', 'podsPerCore', 'most pods per core, 0 = no limit'],
  ['pod-cidr', 'podCIDR', 'pod addresses in standalone mode'],
  ['pod-max-pids', 'podPidsLimit', 'most processes per pod, -1 = no limit'],
  ['resolv-conf', 'resolvConf', 'resolver file for pods'],
  ['runonce', 'runOnce', 'no longer supported'],
  ['cpu-cfs-quota', 'cpuCFSQuota', 'enforce CPU limits by CFS quota'],
  ['cpu-cfs-quota-period', 'cpuCFSQuotaPeriod', 'CFS quota period'],
  ['enable-controller-attach-detach', 'enableControllerAttachDetach', 'leave attaching to the controller'],
  ['make-iptables-util-chains', 'makeIPTablesUtilChains', 'create the iptables hint chain'],
  ['container-log-max-size', 'containerLogMaxSize', 'size at which a log rotates'],
  ['container-log-max-files', 'containerLogMaxFiles', 'log files kept per container'],
  ['allowed-unsafe-sysctls', 'allowedUnsafeSysctls', 'unsafe sysctls pods may set'],
  ['node-status-max-images', 'nodeStatusMaxImages', 'images in the node status, -1 = all'],
  ['kernel-memcg-notification', 'kernelMemcgNotification', 'memory notifications from the kernel'],
  ['local-storage-capacity-isolation', 'localStorageCapacityIsolation', 'account local ephemeral storage'],
  ['max-open-files', 'maxOpenFiles', 'open files of this process'],
  ['kube-api-content-type', 'contentType', 'content type towards the API server'],
  ['kube-api-qps', 'kubeAPIQPS', 'API requests per second'],
  ['kube-api-burst', 'kubeAPIBurst', 'burst of API requests'],
  ['serialize-image-pulls', 'serializeImagePulls', 'pull one image at a time'],
  ['eviction-hard', 'evictionHard', 'thresholds such as memory.available<1Gi'],
  ['eviction-soft', 'evictionSoft', 'thresholds with a grace period'],
  ['eviction-soft-grace-period', 'evictionSoftGracePeriod', 'grace per soft threshold'],
  ['eviction-pressure-transition-period', 'evictionPressureTransitionPeriod', 'wait before pressure ends'],
  ['eviction-max-pod-grace-period', 'evictionMaxPodGracePeriod', 'most grace in a soft eviction, seconds'],
  ['eviction-minimum-reclaim', 'evictionMinimumReclaim', 'least amount an eviction frees'],
  ['protect-kernel-defaults', 'protectKernelDefaults', 'fail on unexpected kernel settings'],
  ['reserved-cpus', 'reservedSystemCPUs', 'CPUs kept for the system'],
  ['system-reserved', 'systemReserved', 'resources kept for the system'],
  ['kube-reserved', 'kubeReserved', 'resources kept for Kubernetes'],
  ['enforce-node-allocatable', 'enforceNodeAllocatable', 'what allocatable is enforced on'],
  ['system-reserved-cgroup', 'systemReservedCgroup', 'cgroup of the system reservation'],
  ['kube-reserved-cgroup', 'kubeReservedCgroup', 'cgroup of the Kubernetes reservation'],
  ['register-node', 'registerNode', 'register with the API server'],
  ['register-with-taints', 'registerWithTaints', 'taints set at registration'],
  ['logging-format', 'logging.format', 'text or json'],
  ['log-flush-frequency', 'logging.flushFrequency', 'longest time between log flushes'],
  ['v', 'logging.verbosity', 'log verbosity'],
  ['vmodule', 'logging.vmodule', 'file pattern=N verbosities, text only'],
  ['log-text-split-stream', 'logging.options.text.splitStream', 'info to stdout, errors to stderr'],
  ['log-json-split-stream', 'logging.options.json.splitStream', 'info to stdout, errors to stderr'],
  ['log-text-info-buffer-size', 'logging.options.text.infoBufferSize', 'buffer of split info lines'],
  ['log-json-info-buffer-size', 'logging.options.json.infoBufferSize', 'buffer of split info lines'],
];

/** Flags that map to a field and are not deprecated. */
export const KEPT_FLAGS: ReadonlySet<string> = new Set([
  'v',
  'vmodule',
  'log-flush-frequency',
  'provider-id',
  'fail-cgroupv1',
]);

export const CONFIG_FLAG_NOTICE =
  "This parameter should be set via the config file specified by the Kubelet's --config flag. " +
  'See https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/ for more information.';

/**
 * The older defaults a kubelet without --config keeps: open and unauthenticated, as before the file existed.
 * They apply to the flag-level base only, never to a file.
 */
export const LEGACY_DEFAULTS: ReadonlyArray<readonly [ConfigPath, JsonValue]> = [
  ['authentication.anonymous.enabled', true],
  ['authentication.webhook.enabled', false],
  ['authorization.mode', 'AlwaysAllow'],
  ['readOnlyPort', 10255],
];

const SPECIAL_TYPES: Readonly<Record<string, FlagType>> = {
  address: 'ip',
  'healthz-bind-address': 'ip',
  'eviction-hard': 'langleMap',
  'eviction-soft': 'langleMap',
  'cpu-manager-policy-options': 'singlePairMap',
};

const FLAG_TYPES: Readonly<Record<string, FlagType>> = {
  durationOrNanos: 'duration',
  stringMap: 'map',
  stringsMap: 'multimap',
  memoryReservations: 'reservedMemory',
  verbosityPatterns: 'vmodule',
};

export function configFlagType(flag: string, path: ConfigPath): FlagType {
  const type = plainType(fieldSpec(path).type);
  return SPECIAL_TYPES[flag] ?? FLAG_TYPES[type] ?? (type as FlagType);
}

/** The flag-level default: the field's, or the legacy one. */
export function configFlagDefault(path: ConfigPath): JsonValue {
  const legacy = LEGACY_DEFAULTS.find(([legacyPath]) => legacyPath === path)?.[1];
  const { type, default: value } = fieldSpec(path);
  return legacy ?? value ?? zeroValue(type) ?? '';
}
