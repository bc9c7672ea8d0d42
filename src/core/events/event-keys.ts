/** What makes two events equal, similar, or of the same object, on one node. */
import type { Occurrence } from './api-event.ts';

/** Similar: equal except for the message and the part of the object. */
export function toSimilarKey({ object, type, reason }: Occurrence): string {
  const { kind, namespace, name, uid, apiVersion } = object;
  return JSON.stringify([kind, namespace, name, uid, apiVersion, type, reason]);
}

/** Equal: only the time differs. */
export function toSameKey(occurrence: Occurrence): string {
  return JSON.stringify([toSimilarKey(occurrence), occurrence.object.fieldPath, occurrence.message]);
}

/** Those that share an allowance: a flood of warnings leaves room for what is normal. */
export function toAllowanceKey({ object, type }: Occurrence): string {
  const { kind, namespace, name, uid, apiVersion } = object;
  return JSON.stringify([kind, namespace, name, uid, apiVersion, type]);
}
