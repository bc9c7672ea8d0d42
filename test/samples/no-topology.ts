/** A machine that is one place, and a kubelet that does not mind. */
import type { NumaLayout, TopologyPolicy } from '../../src/core/topology/topology-policy.ts';

export const NO_TOPOLOGY_POLICY: TopologyPolicy = { name: 'none', scope: 'container', preferClosest: false };

export const NO_NUMA: NumaLayout = { nodes: [], distance: () => undefined };
