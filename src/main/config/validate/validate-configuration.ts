/**
 * All rules a configuration must satisfy, run together: last step of loading.
 * This file holds the plain rules (ranges, enumerations, one field against another); families with their own
 * grammar live in `validate-resources.ts` and `validate-node.ts`.
 * Invariant: every broken rule is reported, in table order; nothing is thrown.
 */
import { posix } from 'node:path';
import {
  atLeast,
  between,
  duration,
  field,
  oneOfRule,
  type Rule,
  type ValidationContext,
  type Violation,
  when,
} from '../configuration-rule.ts';
import type { KubeletConfiguration } from '../kubelet-configuration.ts';
import { durationMs } from '../parse-duration.ts';
import { CIPHER_SUITES, TLS_CURVES, TLS_VERSIONS } from '../tls-names.ts';
import { NODE_RULES } from './validate-node.ts';
import { RESOURCE_RULES } from './validate-resources.ts';

const MAX_PORT = 65535;

const SERVER_RULES: readonly Rule[] = [
  between('port', 1, MAX_PORT),
  between('readOnlyPort', 0, MAX_PORT),
  between('healthzPort', 0, MAX_PORT),
  field('tlsMinVersion', (version) =>
    version === '' || TLS_VERSIONS.includes(String(version))
      ? undefined
      : `must be empty or one of ${TLS_VERSIONS.join(', ')}`,
  ),
  ({ tlsCipherSuites }) =>
    tlsCipherSuites.flatMap((value, index) => {
      const message = 'must be the name of a TLS cipher suite, such as TLS_AES_128_GCM_SHA256';
      return CIPHER_SUITES.has(value) ? [] : [{ path: `tlsCipherSuites[${index}]`, value, message }];
    }),
  validateCurves,
  oneOfRule('authorization.mode', ['AlwaysAllow', 'Webhook']),
  when('authorization.mode', ({ authorization }, { standalone }) =>
    standalone && authorization.mode === 'Webhook'
      ? 'needs an API server: set --kubeconfig, or use AlwaysAllow'
      : undefined,
  ),
  when('authentication.webhook.enabled', ({ authentication }, { standalone }) =>
    standalone && authentication.webhook.enabled
      ? 'needs an API server: set --kubeconfig, or false'
      : undefined,
  ),
  when('serverTLSBootstrap', ({ serverTLSBootstrap }, { gates }) =>
    serverTLSBootstrap && !gates.enabled('RotateKubeletServerCertificate')
      ? 'requires feature gate RotateKubeletServerCertificate'
      : undefined,
  ),
  when('enableSystemLogQuery', (config, { gates }) => {
    if (!config.enableSystemLogQuery) return undefined;
    if (!gates.enabled('NodeLogQuery')) return 'requires feature gate NodeLogQuery';
    return config.enableSystemLogHandler ? undefined : 'requires enableSystemLogHandler to be true';
  }),
  field('showHiddenMetricsForVersion', (version) =>
    version === '' || version === '1.35' ? undefined : 'must be empty or the previous minor version, "1.35"',
  ),
];

const CLIENT_RULES: readonly Rule[] = [
  atLeast('eventRecordQPS', 0),
  atLeast('eventBurst', 0),
  atLeast('kubeAPIQPS', 0),
  atLeast('kubeAPIBurst', 0),
  atLeast('nodeLeaseDurationSeconds', 1),
  atLeast('nodeStatusMaxImages', -1),
  when('configMapAndSecretChangeDetectionStrategy', (config, { standalone }) =>
    standalone || ['Get', 'Cache', 'Watch'].includes(config.configMapAndSecretChangeDetectionStrategy)
      ? undefined
      : 'must be one of "Get", "Cache", "Watch"',
  ),
];

const RUNTIME_RULES: readonly Rule[] = [
  field('containerRuntimeEndpoint', (value) => (value === '' ? 'must not be empty' : undefined)),
  duration('syncFrequency', (ms) => ms > 0, 'greater than 0s'),
  atLeast('registryPullQPS', 0),
  atLeast('registryBurst', 0),
  atLeast('maxParallelImagePulls', 1),
  when('maxParallelImagePulls', ({ maxParallelImagePulls = 0, serializeImagePulls }) =>
    maxParallelImagePulls > 1 && serializeImagePulls
      ? 'cannot be larger than 1 unless serializeImagePulls is false'
      : undefined,
  ),
  between('imageGCHighThresholdPercent', 0, 100),
  between('imageGCLowThresholdPercent', 0, 100),
  when('imageGCLowThresholdPercent', (config) =>
    config.imageGCLowThresholdPercent >= config.imageGCHighThresholdPercent
      ? `must be less than imageGCHighThresholdPercent (${config.imageGCHighThresholdPercent})`
      : undefined,
  ),
  duration('imageMinimumGCAge', (ms) => ms >= 0, 'at least 0s'),
  duration('imageMaximumGCAge', (ms) => ms >= 0, 'at least 0s'),
  when('imageMaximumGCAge', ({ imageMaximumGCAge, imageMinimumGCAge }) =>
    durationMs(imageMaximumGCAge) > 0 && durationMs(imageMaximumGCAge) <= durationMs(imageMinimumGCAge)
      ? `must be 0s or greater than imageMinimumGCAge (${imageMinimumGCAge})`
      : undefined,
  ),
  atLeast('containerLogMaxFiles', 2),
  atLeast('containerLogMaxWorkers', 1),
  duration('containerLogMonitorInterval', (ms) => ms >= 3000, 'at least 3s'),
  field('podLogsDir', (value) => podLogsDirComplaint(String(value))),
  duration(
    'crashLoopBackOff.maxContainerRestartPeriod',
    (ms) => ms >= 1000 && ms <= 300_000,
    'between 1s and 300s',
  ),
  when('crashLoopBackOff.maxContainerRestartPeriod', ({ crashLoopBackOff }, { gates }) =>
    crashLoopBackOff.maxContainerRestartPeriod !== undefined && !gates.enabled('KubeletCrashLoopBackOffMax')
      ? 'must not be set while feature gate KubeletCrashLoopBackOffMax is off'
      : undefined,
  ),
];

const HOST_RULES: readonly Rule[] = [
  between('oomScoreAdj', -1000, 1000),
  atLeast('maxOpenFiles', 0),
  atLeast('maxPods', 0),
  atLeast('podsPerCore', 0),
  between('iptablesMasqueradeBit', 0, 31),
  between('iptablesDropBit', 0, 31),
  oneOfRule('hairpinMode', ['promiscuous-bridge', 'hairpin-veth', 'none']),
  field('runOnce', (value) => (value === true ? 'is no longer supported: must be false' : undefined)),
  duration('cpuCFSQuotaPeriod', (ms) => ms >= 1 && ms <= 1000, 'between 1ms and 1s, inclusive'),
  when('cpuCFSQuotaPeriod', ({ cpuCFSQuotaPeriod }, { gates }) =>
    durationMs(cpuCFSQuotaPeriod) !== 100 && !gates.enabled('CustomCPUCFSQuotaPeriod')
      ? 'must be 100ms while feature gate CustomCPUCFSQuotaPeriod is off'
      : undefined,
  ),
  when('failCgroupV1', ({ failCgroupV1 }, { cgroupVersion }) =>
    failCgroupV1 && cgroupVersion === 1
      ? 'forbids this host, which has cgroup v1: must be false here'
      : undefined,
  ),
  when('singleProcessOOMKill', ({ singleProcessOOMKill }, { cgroupVersion }) =>
    singleProcessOOMKill === false && cgroupVersion === 1 ? 'must be true or unset on cgroup v1' : undefined,
  ),
  oneOfRule('memorySwap.swapBehavior', ['', 'NoSwap', 'LimitedSwap']),
  when('memorySwap.swapBehavior', ({ memorySwap }, { cgroupVersion }) =>
    memorySwap.swapBehavior === 'LimitedSwap' && cgroupVersion === 1 ? 'needs cgroup v2' : undefined,
  ),
  field('userNamespaces.idsPerPod', (value) => {
    const ids = Number(value);
    return ids >= 65536 && ids <= 4294967295 && ids % 65536 === 0
      ? undefined
      : 'must be a multiple of 65536 between 65536 and 4294967295';
  }),
];

const RULES: readonly Rule[] = [
  ...SERVER_RULES,
  ...CLIENT_RULES,
  ...RUNTIME_RULES,
  ...HOST_RULES,
  ...RESOURCE_RULES,
  ...NODE_RULES,
];

/** Every rule the configuration breaks; empty when it is valid. */
export function validateConfiguration(
  config: KubeletConfiguration,
  context: ValidationContext,
): readonly Violation[] {
  return RULES.flatMap((rule) => rule(config, context));
}

function validateCurves({ tlsCurvePreferences }: KubeletConfiguration): readonly Violation[] {
  return tlsCurvePreferences.flatMap((value, index): Violation[] => {
    const path = `tlsCurvePreferences[${index}]`;
    if (tlsCurvePreferences.indexOf(value) !== index)
      return [{ path, value, message: 'must not be repeated' }];
    return TLS_CURVES.includes(value)
      ? []
      : [{ path, value, message: `must be one of ${TLS_CURVES.join(', ')}` }];
  });
}

function podLogsDirComplaint(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('/')) return 'must be an absolute path';
  const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
  if (clean !== path) return `must be normalized: ${JSON.stringify(clean)}`;
  return /^[\x20-\x7e]*$/.test(path) ? undefined : 'must contain ASCII characters only';
}
