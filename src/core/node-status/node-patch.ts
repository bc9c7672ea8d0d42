/**
 * The difference between two versions of the node as a strategic merge patch
 * of its status sub-resource: labels, annotations and status; never the spec.
 */
import type { StringMap } from '../api/meta.ts';
import type { Node, NodeAddress, NodeCondition, NodeMeta } from '../api/node.ts';
import { diffObjects, isEmptyJson, isSameJson, type PatchObject } from '../status/strategic-patch.ts';

/** True when the nodes differ in more than the times of heartbeats and the order of conditions. */
export function hasNodeChanged(current: Node, next: Node): boolean {
  return computeNodePatch(withoutHeartbeats(current), withoutHeartbeats(next)) !== undefined;
}

/** Undefined when there is nothing to write. */
export function computeNodePatch(current: Node, next: Node): PatchObject | undefined {
  const { conditions = [], addresses = [], ...status } = current.status ?? {};
  const { conditions: nextConditions = [], addresses: nextAddresses = [], ...nextStatus } = next.status ?? {};
  const metadata = diffMetadata(current.metadata, next.metadata);
  const changedConditions = diffConditions(conditions, nextConditions);
  const changedAddresses = diffAddresses(addresses, nextAddresses);
  const changed = {
    ...diffObjects(status, nextStatus),
    ...(changedConditions.length === 0 ? {} : { conditions: changedConditions }),
    ...(changedAddresses.length === 0 ? {} : { addresses: changedAddresses }),
  };
  const patch = {
    ...(isEmptyJson(metadata) ? {} : { metadata }),
    ...(isEmptyJson(changed) ? {} : { status: changed }),
  };
  return isEmptyJson(patch) ? undefined : patch;
}

/** Here an empty value is a value: that is how node roles are written. */
function diffMetadata(current: NodeMeta, next: NodeMeta): PatchObject {
  const labels = diffMap(current.labels ?? {}, next.labels ?? {});
  const annotations = diffMap(current.annotations ?? {}, next.annotations ?? {});
  return { ...(isEmptyJson(labels) ? {} : { labels }), ...(isEmptyJson(annotations) ? {} : { annotations }) };
}

function diffMap(current: StringMap, next: StringMap): PatchObject {
  const keys = [...new Set([...Object.keys(current), ...Object.keys(next)])];
  const changed = keys.filter((key) => current[key] !== next[key]);
  return Object.fromEntries(changed.map((key) => [key, next[key] ?? null]));
}

function withoutHeartbeats(node: Node): Node {
  const conditions = node.status?.conditions?.map(({ lastHeartbeatTime: _, ...condition }) => condition);
  return { ...node, status: { ...node.status, ...(conditions === undefined ? {} : { conditions }) } };
}

/** By type: each changed one with its changed fields. The agent never removes any. */
function diffConditions(current: readonly NodeCondition[], next: readonly NodeCondition[]): PatchObject[] {
  return next.flatMap((condition) => {
    const old = current.find(({ type }) => type === condition.type);
    const changes = diffObjects({ ...old }, { ...condition });
    return isEmptyJson(changes) ? [] : [{ ...changes, type: condition.type }];
  });
}

/** Whole or nothing: merged by type, two addresses of one type would become one. */
function diffAddresses(current: readonly NodeAddress[], next: readonly NodeAddress[]): PatchObject[] {
  if (isSameJson(current, next)) return [];
  return [
    ...next.map((address) => ({ ...address })),
    ...(current.length === 0 ? [] : [{ $patch: 'replace' }]),
  ];
}
