/**
 * Whether two versions of a pod ask for the same thing. Status and the
 * annotations the agent itself adds do not count.
 */

import type { StringMap } from '../api/meta.ts';
import type { Pod } from '../api/pod.ts';
import {
  CONFIG_MIRROR_ANNOTATION,
  CONFIG_SEEN_ANNOTATION,
  CONFIG_SOURCE_ANNOTATION,
} from '../api/pod-identity.ts';
import { isOwnCondition } from './own-conditions.ts';

const LOCAL_ANNOTATIONS: ReadonlySet<string> = new Set([
  CONFIG_SOURCE_ANNOTATION,
  CONFIG_SEEN_ANNOTATION,
  CONFIG_MIRROR_ANNOTATION,
]);

export function isSameDesire(a: Pod, b: Pod): boolean {
  return a === b || isDeepEqual(wish(a), wish(b));
}

/** Whether volumes show containers the same of both versions: what a deletion adds is shown nowhere. */
export function isSameShown(a: Pod, b: Pod): boolean {
  return (
    a === b ||
    (isDeepEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {}) &&
      isDeepEqual(a.metadata.annotations ?? {}, b.metadata.annotations ?? {}) &&
      isDeepEqual(a.spec, b.spec))
  );
}

/** Whether the conditions of others (controllers that feed readiness gates) are the same in both versions. */
export function isSameForeign(a: Pod, b: Pod): boolean {
  return isDeepEqual(foreignConditions(a), foreignConditions(b));
}

function foreignConditions({ status }: Pod): unknown {
  const foreign = (status?.conditions ?? []).filter(({ type }) => !isOwnCondition(type));
  return Object.fromEntries(
    foreign.map(({ type, status: value, reason, message }) => [type, { value, reason, message }]),
  );
}

function wish({ spec, metadata }: Pod): unknown {
  const { labels, annotations, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return {
    spec,
    labels: labels ?? {},
    annotations: withoutLocal(annotations ?? {}),
    deletionTimestamp,
    deletionGracePeriodSeconds,
  };
}

function withoutLocal(annotations: StringMap): StringMap {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !LOCAL_ANNOTATIONS.has(key)));
}

/** Equality of plain JSON data; an undefined field equals a missing one. */
function isDeepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  // Without lists of keys: every change of a pod compares two whole specs.
  for (const key in left) if (!isDeepEqual(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}
