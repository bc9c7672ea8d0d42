/**
 * How a registered driver is recorded in the API: an entry in the CSINode object of
 * the node, its id in an annotation of the Node, its topology in labels. Each
 * function answers undefined when nothing has to be written.
 */

import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import { quote } from '../../../base/text/quote.ts';
import type { OwnerReference, StringMap } from '../../api/meta.ts';
import type { Node } from '../../api/node.ts';
import type { CsiNodeDriver, CsiNodeObject } from '../../api/storage.ts';

/** A driver's node info. */
export interface CsiNodeInfo {
  readonly driver: string;
  readonly nodeId: string;
  /** 0 or less for no limit. */
  readonly maxVolumes: number;
  readonly topology: StringMap;
}

const NODE_ID_ANNOTATION = 'csi.volume.kubernetes.io/nodeid';
const MIGRATED_ANNOTATION = 'storage.alpha.kubernetes.io/migrated-plugins';
const MAX_INT32 = 2 ** 31 - 1;

/** In-tree plugins that storage drivers have replaced. */
const MIGRATED_PLUGINS = [
  'kubernetes.io/aws-ebs',
  'kubernetes.io/azure-disk',
  'kubernetes.io/azure-file',
  'kubernetes.io/cinder',
  'kubernetes.io/gce-pd',
  'kubernetes.io/portworx-volume',
  'kubernetes.io/vsphere-volume',
].join(',');

/** A CSINode without drivers, owned by its node. */
export function toCsiNode({ metadata: { name, uid = '' } }: Node): CsiNodeObject {
  const owner: OwnerReference = { apiVersion: 'v1', kind: 'Node', name, uid };
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name, annotations: { [MIGRATED_ANNOTATION]: MIGRATED_PLUGINS }, ownerReferences: [owner] },
    spec: { drivers: [] },
  };
}

/** True for a CSINode that an earlier node of the same name has left. */
export function isForeign({ metadata }: CsiNodeObject, node: Node): boolean {
  const owners = metadata.ownerReferences ?? [];
  return owners.some(
    ({ kind, name, uid }) => kind === 'Node' && name === node.metadata.name && uid !== node.metadata.uid,
  );
}

/** The annotation that says which old plugins are migrated; undefined when it is there. */
export function withMigration(current: CsiNodeObject): CsiNodeObject | undefined {
  const { metadata } = current;
  if (metadata.annotations?.[MIGRATED_ANNOTATION] === MIGRATED_PLUGINS) return undefined;
  const annotations = { ...metadata.annotations, [MIGRATED_ANNOTATION]: MIGRATED_PLUGINS };
  return { ...current, metadata: { ...metadata, annotations } };
}

/** `current` with the driver in it. */
export function withDriver(current: CsiNodeObject, info: CsiNodeInfo): CsiNodeObject | undefined {
  const entry = toEntry(info);
  const old = current.spec.drivers.find(({ name }) => name === info.driver);
  if (old !== undefined && isSame(old, entry)) return undefined;
  const others = current.spec.drivers.filter(({ name }) => name !== info.driver);
  return { ...current, spec: { ...current.spec, drivers: [...others, entry] } };
}

export function withoutDriver(current: CsiNodeObject, driver: string): CsiNodeObject | undefined {
  const drivers = current.spec.drivers.filter(({ name }) => name !== driver);
  if (drivers.length === current.spec.drivers.length) return undefined;
  return { ...current, spec: { ...current.spec, drivers } };
}

/** The change of the Node for a driver; refused when its topology contradicts a label. */
export function toNodeChange({ metadata }: Node, info: CsiNodeInfo): Outcome<object | undefined> {
  if (info.nodeId === '') return refuse('error adding CSI driver node info: driverNodeID must not be empty');
  const { labels = {} } = metadata;
  for (const [key, value] of Object.entries(info.topology)) {
    const old = labels[key];
    if (old !== undefined && old !== value)
      return refuse(
        `detected topology value collision: driver reported ${quote(key)}:${quote(value)} but existing label is ${quote(key)}:${quote(old)}`,
      );
  }
  const ids = readNodeIds(metadata.annotations);
  const missing = Object.fromEntries(
    Object.entries(info.topology).filter(([key]) => labels[key] === undefined),
  );
  const isKnown = ids[info.driver] === info.nodeId && Object.keys(missing).length === 0;
  if (isKnown) return accept(undefined);
  const annotations = renderNodeIds({ ...ids, [info.driver]: info.nodeId });
  return accept({
    metadata: { annotations, ...(Object.keys(missing).length === 0 ? {} : { labels: missing }) },
  });
}

/** Labels stay: others may rely on them. */
export function toNodeRemoval({ metadata }: Node, driver: string): object | undefined {
  const { [driver]: removed, ...others } = readNodeIds(metadata.annotations);
  if (removed === undefined) return undefined;
  const isLast = Object.keys(others).length === 0;
  return { metadata: { annotations: isLast ? { [NODE_ID_ANNOTATION]: null } : renderNodeIds(others) } };
}

function toEntry({ driver, nodeId, maxVolumes, topology }: CsiNodeInfo): CsiNodeDriver {
  const topologyKeys = Object.keys(topology).toSorted();
  return {
    name: driver,
    nodeID: nodeId,
    topologyKeys,
    ...(maxVolumes > 0 ? { allocatable: { count: Math.min(maxVolumes, MAX_INT32) } } : {}),
  };
}

function isSame(a: CsiNodeDriver, b: CsiNodeDriver): boolean {
  const keys = (entry: CsiNodeDriver): string => (entry.topologyKeys ?? []).toSorted().join('\n');
  return a.nodeID === b.nodeID && a.allocatable?.count === b.allocatable?.count && keys(a) === keys(b);
}

/** An unreadable value counts as empty and is rewritten. */
function readNodeIds(annotations: StringMap | undefined): StringMap {
  try {
    const ids: unknown = JSON.parse(annotations?.[NODE_ID_ANNOTATION] ?? '{}');
    return typeof ids === 'object' && ids !== null ? (ids as StringMap) : {};
  } catch {
    return {};
  }
}

function renderNodeIds(ids: StringMap): StringMap {
  const sorted = Object.entries(ids).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { [NODE_ID_ANNOTATION]: JSON.stringify(Object.fromEntries(sorted)) };
}
