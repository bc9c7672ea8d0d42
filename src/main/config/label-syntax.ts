/**
 * Kubernetes name syntax used by node labels and taints: qualified names, label values, taint effects.
 * Pure predicates; callers word the complaint and name the field.
 */

const NAME = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export const QUALIFIED_NAME_RULE =
  'must be an optional DNS-subdomain prefix and "/", then at most 63 letters, digits, "-", "_" or "." that start and end with a letter or digit';
export const LABEL_VALUE_RULE =
  'must be empty or at most 63 letters, digits, "-", "_" or "." that start and end with a letter or digit';

export function isQualifiedName(name: string): boolean {
  const parts = name.split('/');
  const [first = '', second] = parts;
  if (parts.length === 1) return NAME.test(first);
  return parts.length === 2 && isDnsSubdomain(first) && NAME.test(second ?? '');
}

export function isLabelValue(value: string): boolean {
  return value === '' || NAME.test(value);
}

function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && DNS_SUBDOMAIN.test(text);
}
