/**
 * The effective configuration as the API shows it: for /configz, for the log at start, and as the base that
 * drop-ins are merged onto. Pure.
 * Invariants: header values of the static pod URL never appear in the masked form; zero values of
 * non-pointer fields are left out, as the API's encoder does.
 */
import { CONFIG_PATHS, fieldSpec, isPointer } from './config-fields.ts';
import {
  isConfigObject,
  type JsonObject,
  type JsonValue,
  valueAt,
  withoutValueAt,
  withValueAt,
} from './json-value.ts';
import {
  CONFIG_API_VERSION,
  CONFIG_KIND,
  type ConfigPath,
  type KubeletConfiguration,
} from './kubelet-configuration.ts';

/** Stands in for a secret value. */
export const MASK = '<masked>';

/** Fields whose default is only assumed where it is used: the encoder does not show them while unset. */
const ASSUMED_DEFAULTS: readonly ConfigPath[] = ['enableSystemLogQuery', 'userNamespaces.idsPerPod'];
/** Zero is shown for this one. */
const ALWAYS_SHOWN: ReadonlySet<ConfigPath> = new Set<ConfigPath>(['logging.verbosity']);

/** The configuration as v1beta1 JSON with `kind` and `apiVersion`; secrets masked. For people and logs. */
export function renderConfiguration(config: KubeletConfiguration): JsonObject {
  return {
    kind: CONFIG_KIND,
    apiVersion: CONFIG_API_VERSION,
    ...maskSecrets(toWireForm(config as unknown as JsonObject)),
  };
}

/** The body of /configz. */
export function renderConfigz(config: KubeletConfiguration): string {
  return JSON.stringify({ kubeletconfig: renderConfiguration(config) });
}

/** The configuration as the API's encoder writes it, secrets included: only for merging. */
export function toWireForm(config: JsonObject): JsonObject {
  let wire = config;
  for (const path of CONFIG_PATHS) {
    const value = valueAt(wire, path);
    const { type, default: fallback } = fieldSpec(path);
    const assumed = ASSUMED_DEFAULTS.includes(path) && value === fallback;
    const empty = !isPointer(type) && !ALWAYS_SHOWN.has(path) && value !== undefined && isOmitted(value);
    if (assumed || empty) wire = withoutValueAt(wire, path);
  }
  const { userNamespaces, crashLoopBackOff, ...rest } = wire;
  return {
    ...rest,
    ...(hasMembers(userNamespaces) ? { userNamespaces } : {}),
    ...(hasMembers(crashLoopBackOff) ? { crashLoopBackOff } : {}),
  };
}

/** Values that only the machine at the other end may know are replaced. */
export function maskSecrets(wire: JsonObject): JsonObject {
  const headers = wire['staticPodURLHeader'];
  if (!isConfigObject(headers)) return wire;
  const masked = Object.keys(headers).map((name): [string, JsonValue] => [name, [MASK]]);
  return withValueAt(wire, 'staticPodURLHeader', Object.fromEntries(masked));
}

/** Durations and quantities are objects to the encoder, so their zero ("0s", "0") is written. */
function isOmitted(value: JsonValue): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0;
  return value === false || value === 0 || value === '';
}

function hasMembers(value: JsonValue | undefined): value is JsonObject {
  return isConfigObject(value) && Object.keys(value).length > 0;
}
