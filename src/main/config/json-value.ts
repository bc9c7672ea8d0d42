/**
 * Plain JSON values and dotted-path access to them: the form a configuration has between its file and the
 * typed `KubeletConfiguration`. Nothing here knows Kubernetes.
 * Invariant: every function returns new objects along the changed path and leaves its input untouched.
 */
import { isJsonObject } from '../../base/json.ts';
import { ownValue, setOwnValue } from '../../base/own-value.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isConfigObject(value: unknown): value is JsonObject {
  return isJsonObject(value);
}

/** The value at a dotted path, `undefined` when any step is missing. */
export function valueAt(root: unknown, path: string): JsonValue | undefined {
  let value: unknown = root;
  for (const key of path.split('.')) {
    if (!isConfigObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value as JsonValue | undefined;
}

/** A copy of `root` with the value at a dotted path replaced; missing objects on the way are created. */
export function withValueAt(root: JsonObject, path: string, value: JsonValue): JsonObject {
  return withValuesAt(root, [[path, value]]);
}

/** The same for many paths; each object on the way is copied once. */
export function withValuesAt(
  root: JsonObject,
  values: Iterable<readonly [path: string, value: JsonValue]>,
): JsonObject {
  const result: Record<string, JsonValue> = { ...root };
  const copies = new Set<JsonObject>();
  for (const [path, value] of values) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let place = result;
    for (const key of keys) {
      const child = ownValue(place, key);
      const isOurs = isConfigObject(child) && copies.has(child);
      const next: Record<string, JsonValue> = isOurs ? child : isConfigObject(child) ? { ...child } : {};
      copies.add(next);
      setOwnValue(place, key, next);
      place = next;
    }
    setOwnValue(place, last, value);
  }
  return result;
}

/** A copy of `root` without the value at a dotted path; emptied parents stay. */
export function withoutValueAt(root: JsonObject, path: string): JsonObject {
  const [head = '', ...rest] = path.split('.');
  const child = root[head];
  if (child === undefined) return root;
  if (rest.length > 0) {
    return isConfigObject(child) ? { ...root, [head]: withoutValueAt(child, rest.join('.')) } : root;
  }
  const { [head]: _removed, ...others } = root;
  return others;
}

/** RFC 7386: objects merge key by key, `null` deletes, everything else replaces. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isConfigObject(patch)) return patch;
  const merged: Record<string, JsonValue> = isConfigObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setOwnValue(merged, key, mergePatch(ownValue(merged, key), value));
  }
  return merged;
}
