/**
 * Rules on the node object, shutdown, image verification, logging and tracing.
 * One family of `validate-configuration.ts`.
 */
import { tryParseQuantity } from '../../../core/api/quantity.ts';
import {
  between,
  duration,
  oneOfRule,
  type Rule,
  type ValidationContext,
  type Violation,
  when,
} from '../configuration-rule.ts';
import type { KubeletConfiguration } from '../kubelet-configuration.ts';
import {
  isLabelValue,
  isQualifiedName,
  LABEL_VALUE_RULE,
  QUALIFIED_NAME_RULE,
  TAINT_EFFECTS,
} from '../label-syntax.ts';
import { durationMs } from '../parse-duration.ts';

const ALLOWLIST_POLICY = 'NeverVerifyAllowlistedImages';
const PULL_POLICIES = ['NeverVerify', 'NeverVerifyPreloadedImages', ALLOWLIST_POLICY, 'AlwaysVerify'];
const TRACING_SCHEMES = ['dns', 'unix', 'unix-abstract'];

export const NODE_RULES: readonly Rule[] = [
  validateTaints,
  duration('shutdownGracePeriod', zeroOrSecond, '0s or at least 1s'),
  duration('shutdownGracePeriodCriticalPods', zeroOrSecond, '0s or at least 1s'),
  when('shutdownGracePeriodCriticalPods', (config) =>
    durationMs(config.shutdownGracePeriodCriticalPods) > durationMs(config.shutdownGracePeriod)
      ? `must be at most shutdownGracePeriod (${config.shutdownGracePeriod})`
      : undefined,
  ),
  when('shutdownGracePeriod', (config, { gates }) =>
    usesShutdownPeriods(config) && !gates.enabled('GracefulNodeShutdown')
      ? 'requires feature gate GracefulNodeShutdown'
      : undefined,
  ),
  when('shutdownGracePeriodByPodPriority', (config, { gates }) => {
    if (config.shutdownGracePeriodByPodPriority.length === 0) return undefined;
    if (!gates.enabled('GracefulNodeShutdownBasedOnPodPriority')) {
      return 'requires feature gate GracefulNodeShutdownBasedOnPodPriority';
    }
    return usesShutdownPeriods(config)
      ? 'cannot be combined with shutdownGracePeriod or shutdownGracePeriodCriticalPods'
      : undefined;
  }),
  validatePullPolicy,
  validateAllowlist,
  oneOfRule('logging.format', ['text', 'json']),
  duration('logging.flushFrequency', (ms) => ms > 0, 'greater than 0s'),
  between('logging.verbosity', 0, 2147483647),
  validateVmodule,
  validateLogStreams,
  when('tracing.endpoint', ({ tracing }) => tracingComplaint(tracing?.endpoint)),
  between('tracing.samplingRatePerMillion', 0, 1_000_000),
];

function zeroOrSecond(ms: number): boolean {
  return ms === 0 || ms >= 1000;
}

function usesShutdownPeriods(config: KubeletConfiguration): boolean {
  return durationMs(config.shutdownGracePeriod) > 0 || durationMs(config.shutdownGracePeriodCriticalPods) > 0;
}

function validateTaints({ registerWithTaints }: KubeletConfiguration): readonly Violation[] {
  return registerWithTaints.flatMap(({ key, value = '', effect, timeAdded }, index) => {
    const path = `registerWithTaints[${index}]`;
    const violations: Violation[] = [];
    if (!isQualifiedName(key))
      violations.push({ path: `${path}.key`, value: key, message: QUALIFIED_NAME_RULE });
    if (!isLabelValue(value)) violations.push({ path: `${path}.value`, value, message: LABEL_VALUE_RULE });
    if (!TAINT_EFFECTS.includes(effect)) {
      const message = `must be one of ${TAINT_EFFECTS.join(', ')}`;
      violations.push({ path: `${path}.effect`, value: effect, message });
    }
    if (timeAdded !== undefined) {
      violations.push({ path: `${path}.timeAdded`, value: timeAdded, message: 'must not be set' });
    }
    return violations;
  });
}

function validatePullPolicy(
  { imagePullCredentialsVerificationPolicy: policy }: KubeletConfiguration,
  { gates }: ValidationContext,
): readonly Violation[] {
  const path = 'imagePullCredentialsVerificationPolicy';
  if (policy === undefined) return [];
  if (!gates.enabled('KubeletEnsureSecretPulledImages')) {
    const message = 'must not be set while feature gate KubeletEnsureSecretPulledImages is off';
    return [{ path, value: policy, message }];
  }
  return PULL_POLICIES.includes(policy)
    ? []
    : [{ path, value: policy, message: `must be one of ${PULL_POLICIES.join(', ')}` }];
}

function validateAllowlist(config: KubeletConfiguration): readonly Violation[] {
  const { preloadedImagesVerificationAllowlist: patterns, imagePullCredentialsVerificationPolicy: policy } =
    config;
  const path = 'preloadedImagesVerificationAllowlist';
  if (patterns.length === 0) return [];
  const misplaced: Violation[] =
    policy === ALLOWLIST_POLICY
      ? []
      : [
          {
            path,
            value: patterns,
            message: `needs imagePullCredentialsVerificationPolicy ${ALLOWLIST_POLICY}`,
          },
        ];
  const bad = patterns.flatMap((value, index): Violation[] => {
    const message = imagePatternComplaint(value);
    return message === undefined ? [] : [{ path: `${path}[${index}]`, value, message }];
  });
  return [...misplaced, ...bad];
}

function imagePatternComplaint(pattern: string): string | undefined {
  if (pattern !== pattern.trim()) return 'must not have leading or trailing spaces';
  const body = pattern.endsWith('/*') ? pattern.slice(0, -2) : pattern;
  if (body === '') return 'must name at least a registry host';
  if (body.includes('*')) return 'may have "*" only as a trailing "/*"';
  if (body.includes('@')) return 'must not have a digest';
  const [, ...repository] = body.split('/');
  if (repository.join('/').includes(':')) return 'must not have a tag';
  return body.startsWith('/') ? 'must name at least a registry host' : undefined;
}

function validateVmodule({ logging }: KubeletConfiguration): readonly Violation[] {
  const path = 'logging.vmodule';
  const misplaced: Violation[] =
    logging.vmodule.length > 0 && logging.format !== 'text'
      ? [
          {
            path,
            value: logging.vmodule.map(({ filePattern }) => filePattern),
            message: 'needs logging.format "text"',
          },
        ]
      : [];
  const bad = logging.vmodule.flatMap(({ filePattern, verbosity }, index): Violation[] => {
    const at = `${path}[${index}]`;
    const violations: Violation[] = [];
    if (filePattern === '' || /[=,]/.test(filePattern)) {
      violations.push({
        path: `${at}.filePattern`,
        value: filePattern,
        message: 'must be non-empty without "=" or ","',
      });
    }
    if (verbosity > 2147483647) {
      violations.push({
        path: `${at}.verbosity`,
        value: verbosity,
        message: 'must be between 0 and 2147483647, inclusive',
      });
    }
    return violations;
  });
  return [...misplaced, ...bad];
}

function validateLogStreams(
  { logging }: KubeletConfiguration,
  { gates }: ValidationContext,
): readonly Violation[] {
  if (gates.enabled('LoggingAlphaOptions')) return [];
  const message = 'requires feature gate LoggingAlphaOptions';
  return (['text', 'json'] as const).flatMap((format): Violation[] => {
    const { splitStream, infoBufferSize } = logging.options[format];
    const path = `logging.options.${format}`;
    return [
      ...(splitStream ? [{ path: `${path}.splitStream`, value: splitStream, message }] : []),
      ...(tryParseQuantity(infoBufferSize)?.nanos === 0n
        ? []
        : [{ path: `${path}.infoBufferSize`, value: infoBufferSize, message }]),
    ];
  });
}

function tracingComplaint(endpoint: string | undefined): string | undefined {
  const scheme = endpoint === undefined ? undefined : /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\//.exec(endpoint)?.[1];
  const unixPath = endpoint?.startsWith('unix:') === true || endpoint?.startsWith('unix-abstract:') === true;
  if (scheme === undefined || unixPath || TRACING_SCHEMES.includes(scheme)) return undefined;
  return `must have no scheme or one of ${TRACING_SCHEMES.join(', ')}`;
}
