/**
 * The addresses of the node and the annotation that passes a requested address
 * to an external cloud provider. The machine's addresses are read elsewhere;
 * only their publication is decided here.
 */
import type { StringMap } from '../api/meta.ts';
import type { Node, NodeAddress } from '../api/node.ts';
import { canonicalIp } from '../status/pod-addresses.ts';
import type { AddressFacts } from './node-status-facts.ts';

const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

export interface AddressOutcome {
  /** Undefined leaves what is there. */
  readonly addresses: readonly NodeAddress[] | undefined;
  readonly annotations: StringMap | undefined;
  readonly problem?: string;
}

/** With a problem nothing changes. */
export function computeNodeAddresses(node: Node, facts: AddressFacts): AddressOutcome {
  const { name, annotations } = node.metadata;
  if (facts.problem !== undefined) return { addresses: undefined, annotations, problem: facts.problem };
  const requested = facts.requested.filter((ip) => ip !== '0.0.0.0' && ip !== '::');
  const hostname: NodeAddress = { type: 'Hostname', address: name };
  const internal = facts.ips.map((address) => ({ type: 'InternalIP', address }));
  if (!facts.externalCloud) return { addresses: [...internal, hostname], annotations };
  return {
    // The cloud provider owns them once it has written any.
    addresses:
      (node.status?.addresses ?? []).length > 0
        ? undefined
        : [...(requested.length > 0 ? internal : []), hostname],
    annotations: toProvidedAnnotation(annotations, requested),
  };
}

/**
 * The addresses of the node that are shown to pods: the first internal one, or
 * external where there is none, and the first of the other family.
 */
export function toHostIps({ status }: Node): string[] {
  const of = (wanted: string): string[] =>
    (status?.addresses ?? []).filter(({ type }) => type === wanted).map(({ address }) => address);
  const all = [...of('InternalIP'), ...of('ExternalIP')].filter((ip) => canonicalIp(ip) !== undefined);
  const [first] = all;
  if (first === undefined) return [];
  const other = all.find((ip) => ip.includes(':') !== first.includes(':'));
  return other === undefined ? [first] : [first, other];
}

function toProvidedAnnotation(annotations: StringMap | undefined, requested: readonly string[]): StringMap {
  const { [PROVIDED_NODE_IP]: _, ...others } = annotations ?? {};
  return requested.length === 0 ? others : { ...others, [PROVIDED_NODE_IP]: requested.join(',') };
}
