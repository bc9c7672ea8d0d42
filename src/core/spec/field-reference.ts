/**
 * Values of pod fields shown to containers (`fieldRef`), for variables and
 * downward API files alike.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { StringMap } from '../api/meta.ts';
import type { Pod } from '../api/pod.ts';
import { findQualifiedNameProblems } from './dns-names.ts';

export interface Addresses {
  readonly podIps: readonly string[];
  /** Primary first. */
  readonly nodeIps: readonly string[];
}

/** Known to the API, but not offered to containers. */
const UNSUPPORTED = new Set(['spec.restartPolicy', 'spec.schedulerName', 'status.phase']);
const SUBSCRIPT = /^(.*)\['(.*)'\]$/s;

/** The text of the field, or why it is not available. */
export function toFieldValue(
  pod: Pod,
  field: { readonly apiVersion?: string; readonly fieldPath: string },
  addresses: Addresses,
): Outcome<string> {
  const { apiVersion = 'v1', fieldPath } = field;
  if (apiVersion !== 'v1') return refuse(`unsupported pod version: ${apiVersion}`);
  const subscript = SUBSCRIPT.exec(fieldPath);
  if (subscript !== null) return toMapEntry(pod, fieldPath, subscript[1] ?? '', subscript[2] ?? '');
  const read = FIELDS.get(fieldPath);
  if (read !== undefined) return accept(read(pod, addresses));
  if (UNSUPPORTED.has(fieldPath)) return refuse(`unsupported fieldPath: ${fieldPath}`);
  return refuse(`field label not supported: ${fieldPath}`);
}

/**
 * The pod's addresses as containers see them: the first of the node's primary
 * family, then the first of the other one. On the host's network they are the
 * node's.
 */
export function orderPodIps(pod: Pod, { podIps, nodeIps }: Addresses): string[] {
  const ips = pod.spec.hostNetwork === true ? nodeIps : podIps;
  const primaryIsV6 = (nodeIps[0] ?? ips[0] ?? '').includes(':');
  const first = ips.find((ip) => ip.includes(':') === primaryIsV6);
  const second = ips.find((ip) => ip.includes(':') !== primaryIsV6);
  return [first, second].filter((ip) => ip !== undefined);
}

type Reader = (pod: Pod, addresses: Addresses) => string;

const FIELDS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['metadata.name', (pod) => pod.metadata.name],
  ['metadata.namespace', (pod) => pod.metadata.namespace],
  ['metadata.uid', (pod) => pod.metadata.uid],
  ['metadata.labels', (pod) => renderMap(pod.metadata.labels)],
  ['metadata.annotations', (pod) => renderMap(pod.metadata.annotations)],
  ['spec.nodeName', (pod) => pod.spec.nodeName ?? ''],
  ['spec.host', (pod) => pod.spec.nodeName ?? ''],
  ['spec.serviceAccountName', (pod) => pod.spec.serviceAccountName ?? ''],
  ['status.hostIP', (_pod, { nodeIps }) => nodeIps[0] ?? ''],
  ['status.hostIPs', (_pod, { nodeIps }) => nodeIps.join(',')],
  ['status.podIP', (pod, addresses) => orderPodIps(pod, addresses)[0] ?? ''],
  ['status.podIPs', (pod, addresses) => orderPodIps(pod, addresses).join(',')],
]);

function toMapEntry(pod: Pod, fieldPath: string, path: string, key: string): Outcome<string> {
  if (path !== 'metadata.labels' && path !== 'metadata.annotations') {
    return refuse(`field label does not support subscript: ${fieldPath}`);
  }
  const labels = path === 'metadata.labels';
  const problems = findQualifiedNameProblems(labels ? key : key.toLowerCase());
  if (problems.length > 0) return refuse(`invalid key subscript in ${fieldPath}: ${problems.join('; ')}`);
  const map = labels ? pod.metadata.labels : pod.metadata.annotations;
  return accept(map !== undefined && Object.hasOwn(map, key) ? (map[key] ?? '') : '');
}

function renderMap(map: StringMap | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .join('\n');
}
