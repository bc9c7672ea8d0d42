/** Label selectors, as the Kubernetes API writes them in JSON. */
import type { StringMap } from './meta.ts';

export interface LabelSelector {
  readonly matchLabels?: StringMap;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** An absent selector chooses nothing, an empty one everything. */
export function matchesLabels(selector: LabelSelector | undefined, labels: StringMap): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((requirement) => matchesRequirement(requirement, labels))
  );
}

/** An unknown operator matches nothing. */
export function matchesRequirement(requirement: LabelRequirement, labels: StringMap): boolean {
  const { operator, values = [] } = requirement;
  const value = readLabel(labels, requirement.key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** Keys are user input: `constructor`, say, is a label only when it is an own property. */
export function readLabel(labels: StringMap, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
