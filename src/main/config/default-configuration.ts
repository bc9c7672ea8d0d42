/**
 * Fills what a document left unset: table defaults, defaults that depend on another field or on a gate,
 * the older flag-level defaults, and the hard eviction thresholds a --config file gets.
 * Invariant: a field that is set is never changed, except zero in a field that does not distinguish zero from unset.
 */

import { CONFIG_PATHS, fieldSpec, isPointer, zeroValue } from './config-fields.ts';
import { LEGACY_DEFAULTS } from './config-flags.ts';
import type { FeatureGates } from './features.ts';
import {
  isConfigObject,
  type JsonObject,
  type JsonValue,
  valueAt,
  withoutValueAt,
  withValueAt,
  withValuesAt,
} from './json-value.ts';

/** Thresholds of a Linux node whose --config file does not name any. */
const DEFAULT_EVICTION_HARD = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
} as const;

/** Applies every default to decoded fields. The result has the shape of `KubeletConfiguration`. */
export function applyDefaults(fields: JsonObject, gates: FeatureGates): JsonObject {
  const given = applyDependentDefaults(dropUnsetZeros(fields), gates);
  const missing = CONFIG_PATHS.flatMap((path): [path: string, value: JsonValue][] => {
    if (valueAt(given, path) !== undefined) return [];
    const { type, default: value } = fieldSpec(path);
    const filled = value ?? zeroValue(type);
    return filled === undefined ? [] : [[path, filled]];
  });
  const config = withValuesAt(given, missing);
  return isConfigObject(config['crashLoopBackOff']) ? config : { ...config, crashLoopBackOff: {} };
}

/** The base when no --config is given: the defaults with the older, open settings on top. */
export function applyLegacyDefaults(config: JsonObject): JsonObject {
  return withValuesAt(config, LEGACY_DEFAULTS);
}

/** The step only a --config file goes through, before drop-ins. `fields` is what the file itself set. */
export function applyDefaultEviction(config: JsonObject, fields: JsonObject): JsonObject {
  const own = fields['evictionHard'];
  if (own === undefined) return { ...config, evictionHard: DEFAULT_EVICTION_HARD };
  if (fields['mergeDefaultEvictionSettings'] !== true || !isConfigObject(own)) return config;
  return { ...config, evictionHard: { ...DEFAULT_EVICTION_HARD, ...own } };
}

/** In a field without pointer, an explicit zero means "not set". */
function dropUnsetZeros(fields: JsonObject): JsonObject {
  return CONFIG_PATHS.reduce((result, path) => {
    const { type, default: value } = fieldSpec(path);
    const set = valueAt(result, path);
    const zero =
      set !== undefined && value !== undefined && !isPointer(type) && isZeroValue(set, zeroValue(type));
    return zero ? withoutValueAt(result, path) : result;
  }, fields);
}

/** An empty list with a default (enforceNodeAllocatable: []) is not zero: only an absent list is. */
function isZeroValue(value: JsonValue, zero: JsonValue | undefined): boolean {
  return value === zero;
}

function applyDependentDefaults(fields: JsonObject, gates: FeatureGates): JsonObject {
  let config = fields;
  if (valueAt(config, 'nodeStatusReportFrequency') === undefined) {
    const update = valueAt(config, 'nodeStatusUpdateFrequency');
    if (update !== undefined) config = withValueAt(config, 'nodeStatusReportFrequency', update);
  }
  if (valueAt(config, 'serializeImagePulls') === undefined) {
    const parallel = valueAt(config, 'maxParallelImagePulls');
    config = withValueAt(config, 'serializeImagePulls', !(typeof parallel === 'number' && parallel >= 2));
  }
  const period = 'crashLoopBackOff.maxContainerRestartPeriod';
  if (gates.enabled('KubeletCrashLoopBackOffMax') && valueAt(config, period) === undefined) {
    config = withValueAt(config, period, '5m0s');
  }
  const policy = 'imagePullCredentialsVerificationPolicy';
  if (valueAt(config, policy) === '') config = withoutValueAt(config, policy);
  if (gates.enabled('KubeletEnsureSecretPulledImages') && valueAt(config, policy) === undefined) {
    config = withValueAt(config, policy, 'NeverVerifyPreloadedImages');
  }
  return config;
}
