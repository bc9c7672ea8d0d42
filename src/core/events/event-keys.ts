/** What makes two events the same, alike, or of the same object, on one node. */
import type { Occurrence } from './api-event.ts';

/** Alike but for the words and the part of the object. */
export function toSimilarKey({ object, type, reason }: Occurrence): string {
  const { kind, namespace, name, uid, apiVersion } = object;
  return JSON.stringify([kind, namespace, name, uid, apiVersion, type, reason]);
}

/** The same: only its time differs. */
export function toSameKey(occurrence: Occurrence): string {
  return JSON.stringify([toSimilarKey(occurrence), occurrence.object.fieldPath, occurrence.message]);
}

/** Those that share an allowance: a flood of warnings leaves room for what is normal. */
export function toAllowanceKey({ object, type }: Occurrence): string {
  const { kind, namespace, name, uid, apiVersion } = object;
  return JSON.stringify([kind, namespace, name, uid, apiVersion, type]);
}
