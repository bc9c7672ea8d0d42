/**
 * The fields this agent acts on today. Every other field is accepted, validated and shown, and the loader
 * warns once when one of them is set. This is the single place to edit when a feature arrives.
 */
import type { ConfigPath } from './kubelet-configuration.ts';
import type { ProcessFlags } from './process-flags.ts';

export const HONOURED_FIELDS: ReadonlySet<ConfigPath> = new Set<ConfigPath>([
  'address',
  'cgroupDriver',
  'cgroupRoot',
  'cgroupsPerQOS',
  'clusterDNS',
  'clusterDomain',
  'containerRuntimeEndpoint',
  'cpuCFSQuota',
  'cpuCFSQuotaPeriod',
  'crashLoopBackOff.maxContainerRestartPeriod',
  'failCgroupV1',
  'featureGates',
  'fileCheckFrequency',
  'healthzBindAddress',
  'healthzPort',
  'imageServiceEndpoint',
  'logging.flushFrequency',
  'logging.format',
  'logging.options.json.infoBufferSize',
  'logging.options.json.splitStream',
  'logging.options.text.infoBufferSize',
  'logging.options.text.splitStream',
  'logging.verbosity',
  'logging.vmodule',
  'maxParallelImagePulls',
  'mergeDefaultEvictionSettings',
  'podLogsDir',
  'readOnlyPort',
  'registryBurst',
  'registryPullQPS',
  'resolvConf',
  'runtimeRequestTimeout',
  'seccompDefault',
  'serializeImagePulls',
  'staticPodPath',
]);

/** Likewise for the flags that are no configuration fields. */
export const HONOURED_FLAGS: ReadonlySet<keyof ProcessFlags> = new Set<keyof ProcessFlags>([
  'config',
  'configDir',
  'hostnameOverride',
  'nodeIP',
  'rootDir',
  'seccompDefault',
]);
