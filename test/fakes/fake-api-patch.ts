/**
 * The three kinds of patch. Strategic patches know the merge keys of the lists
 * that a node agent patches; other lists are replaced, as in a merge patch.
 */

export type Json = string | number | boolean | null | undefined | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export type PatchType = 'strategic' | 'merge' | 'json';

/** Field name to the merge key of its elements. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  conditions: 'type',
  addresses: 'type',
  podIPs: 'ip',
  hostIPs: 'ip',
  ownerReferences: 'uid',
  taints: 'key',
};

export function applyPatch(target: Json, patch: Json, type: PatchType): Json {
  if (type === 'json') return applyJsonPatch(target, patch as JsonObject[]);
  return merge(target, patch, type === 'strategic');
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merge(target: Json, patch: Json, strategic: boolean): Json {
  if (!isObject(patch)) return structuredClone(patch);
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (strategic && (key === '$patch' || key.startsWith('$setElementOrder/') || key === '$retainKeys'))
      continue;
    const mergeKey = strategic ? MERGE_KEYS[key] : undefined;
    if (value === null) delete result[key];
    else if (mergeKey !== undefined && Array.isArray(value))
      result[key] = mergeList(result[key], value, mergeKey);
    else result[key] = merge(result[key], value, strategic);
  }
  return result;
}

function mergeList(target: Json, patch: readonly Json[], key: string): Json[] {
  const elements = patch.filter(isObject);
  if (elements.some((element) => element['$patch'] === 'replace'))
    return elements.filter((element) => element['$patch'] === undefined);
  const result = Array.isArray(target) ? target.filter(isObject) : [];
  for (const element of elements) {
    const at = result.findIndex((one) => one[key] === element[key]);
    if (element['$patch'] === 'delete') {
      if (at !== -1) result.splice(at, 1);
    } else if (at === -1) result.push(element);
    else result[at] = merge(result[at], element, true) as JsonObject;
  }
  return result;
}

function applyJsonPatch(target: Json, operations: readonly JsonObject[]): Json {
  const result = structuredClone(target);
  for (const { op, path, value } of operations) {
    const steps = String(path)
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop() ?? '';
    const parent = steps.reduce<Json>((at, step) => (at as JsonObject)[step], result) as JsonObject | Json[];
    if (Array.isArray(parent)) {
      const index = last === '-' ? parent.length : Number(last);
      if (op === 'remove') parent.splice(index, 1);
      else parent.splice(index, op === 'replace' ? 1 : 0, value);
    } else if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return result;
}
