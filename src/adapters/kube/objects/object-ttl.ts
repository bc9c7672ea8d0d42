/** How long ConfigMaps and Secrets may be used without asking again, as the cluster sets it for its nodes by its size. */
import type { Node } from '../../../core/api/node.ts';

const TTL_ANNOTATION = 'node.alpha.kubernetes.io/ttl';
const DEFAULT_MS = 60_000;

/** A minute when the node is not known or says nothing that is a number. */
export function toObjectTtlMs(node: Node | undefined): number {
  const text = node?.metadata.annotations?.[TTL_ANNOTATION] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) * 1000 : DEFAULT_MS;
}
