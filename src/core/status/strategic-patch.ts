/**
 * Differences between two JSON objects as parts of a strategic merge patch.
 *
 * Absent, null, zero and empty values are the same here, because the API
 * server leaves such fields out of what it stores: otherwise one would look
 * changed forever.
 */

import { ownValue, setOwnValue } from '../../base/own-value.ts';
export type Json = unknown;
export type PatchObject = Readonly<Record<string, Json>>;

/** Maps field by field with null for removed fields; everything else as a whole. */
export function diffObjects(current: PatchObject, next: PatchObject): PatchObject {
  const changes: Record<string, Json> = {};
  const added = Object.keys(next).filter((key) => !Object.hasOwn(current, key));
  for (const key of Object.keys(current).concat(added)) {
    const old = ownValue(current, key);
    const value = ownValue(next, key);
    if (isSameJson(old, value)) continue;
    if (isEmptyJson(value)) setOwnValue(changes, key, null);
    else setOwnValue(changes, key, isObject(old) && isObject(value) ? diffObjects(old, value) : value);
  }
  return changes;
}

/** Most of what is compared is the same object, or has the same fields. */
export function isSameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, index) => isSameJson(element, b[index]));
  if (isObject(a) && isObject(b))
    return (
      Object.keys(a).every((key) => isSameJson(ownValue(a, key), ownValue(b, key))) &&
      Object.keys(b).every((key) => Object.hasOwn(a, key) || isEmptyJson(ownValue(b, key)))
    );
  return isEmptyJson(a) && isEmptyJson(b);
}

export function isEmptyJson(value: Json): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every((part) => part === undefined);
}

function isObject(value: Json): value is PatchObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
