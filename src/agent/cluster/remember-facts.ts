/** How much of what the API server said is remembered for a start without it. */
import type { Node } from '../../core/api/node.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { ServiceLike } from '../../core/model/environment-objects.ts';
import type { RememberedFacts } from '../../ports/cluster/remembered-facts.ts';

/** The namespace of the API server's own service, which all pods get variables for. */
const DEFAULT_NAMESPACE = 'default';

/** What admission looks at; the rest changes with every heartbeat. */
export function toRememberedNode(node: Node | undefined): Pick<RememberedFacts, 'node'> {
  if (node === undefined) return {};
  const { name, uid, labels = {}, annotations = {} } = node.metadata;
  const { capacity = {}, allocatable = {} } = node.status ?? {};
  return {
    node: {
      metadata: { name, ...(uid === undefined ? {} : { uid }), labels, annotations },
      spec: node.spec ?? {},
      status: { capacity, allocatable },
    },
  };
}

/** A container gets variables only for the services of its namespace, and for the API server's. */
export function servicesFor(pods: readonly Pod[], services: readonly ServiceLike[]): ServiceLike[] {
  const namespaces = new Set([DEFAULT_NAMESPACE, ...pods.map(({ metadata }) => metadata.namespace)]);
  return services.filter(({ metadata }) => namespaces.has(metadata.namespace));
}
