/**
 * The difference between two versions of the node as a strategic merge patch
 * of its status sub-resource: labels, annotations and status; never the spec.
 *
 * Absent, null, zero and empty values are the same here, because the API
 * server leaves such fields out of what it stores: otherwise one would look
 * changed forever.
 */
import type { StringMap } from '../api/meta.ts';
import type { Node, NodeAddress, NodeCondition, NodeMeta } from '../api/node.ts';

type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

/** True when the nodes differ in more than the times of heartbeats and the order of conditions. */
export function hasNodeChanged(current: Node, next: Node): boolean {
  return computeNodePatch(withoutHeartbeats(current), withoutHeartbeats(next)) !== undefined;
}

/** Undefined when there is nothing to write. */
export function computeNodePatch(current: Node, next: Node): JsonObject | undefined {
  const { conditions = [], addresses = [], ...status } = current.status ?? {};
  const { conditions: nextConditions = [], addresses: nextAddresses = [], ...nextStatus } = next.status ?? {};
  const metadata = diffMetadata(current.metadata, next.metadata);
  const changedConditions = diffConditions(conditions, nextConditions);
  const changedAddresses = diffAddresses(addresses, nextAddresses);
  const changed = {
    ...diff(status, nextStatus),
    ...(changedConditions.length === 0 ? {} : { conditions: changedConditions }),
    ...(changedAddresses.length === 0 ? {} : { addresses: changedAddresses }),
  };
  const patch = {
    ...(isEmpty(metadata) ? {} : { metadata }),
    ...(isEmpty(changed) ? {} : { status: changed }),
  };
  return isEmpty(patch) ? undefined : patch;
}

/** Here an empty value is a value: that is how node roles are written. */
function diffMetadata(current: NodeMeta, next: NodeMeta): JsonObject {
  const labels = diffMap(current.labels ?? {}, next.labels ?? {});
  const annotations = diffMap(current.annotations ?? {}, next.annotations ?? {});
  return { ...(isEmpty(labels) ? {} : { labels }), ...(isEmpty(annotations) ? {} : { annotations }) };
}

function diffMap(current: StringMap, next: StringMap): JsonObject {
  const keys = [...new Set([...Object.keys(current), ...Object.keys(next)])];
  const changed = keys.filter((key) => current[key] !== next[key]);
  return Object.fromEntries(changed.map((key) => [key, next[key] ?? null]));
}

function withoutHeartbeats(node: Node): Node {
  const conditions = node.status?.conditions?.map(({ lastHeartbeatTime: _, ...condition }) => condition);
  return { ...node, status: { ...node.status, ...(conditions === undefined ? {} : { conditions }) } };
}

/** By type: each changed one with its changed fields. The agent never removes any. */
function diffConditions(current: readonly NodeCondition[], next: readonly NodeCondition[]): JsonObject[] {
  return next.flatMap((condition) => {
    const old = current.find(({ type }) => type === condition.type);
    const changes = diff({ ...old }, { ...condition });
    return isEmpty(changes) ? [] : [{ ...changes, type: condition.type }];
  });
}

/** Whole or nothing: merged by type, two addresses of one type would become one. */
function diffAddresses(current: readonly NodeAddress[], next: readonly NodeAddress[]): JsonObject[] {
  if (isSame(current, next)) return [];
  return [
    ...next.map((address) => ({ ...address })),
    ...(current.length === 0 ? [] : [{ $patch: 'replace' }]),
  ];
}

/** Maps field by field with null for what goes; everything else as a whole. */
function diff(current: JsonObject, next: JsonObject): JsonObject {
  const changes: Record<string, Json> = {};
  for (const key of new Set([...Object.keys(current), ...Object.keys(next)])) {
    const [old, value] = [current[key], next[key]];
    if (isSame(old, value)) continue;
    if (isEmpty(value)) changes[key] = null;
    else changes[key] = isObject(old) && isObject(value) ? diff(old, value) : value;
  }
  return changes;
}

function isSame(a: Json, b: Json): boolean {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, index) => isSame(element, b[index]));
  if (isObject(a) && isObject(b))
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSame(a[key], b[key]));
  return a === b;
}

function isEmpty(value: Json): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every((part) => part === undefined);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
