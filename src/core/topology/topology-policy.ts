/** How strictly the resources of a pod have to be near each other, and over what that is judged. */

export type TopologyPolicyName = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

/** `container`: each container for itself. `pod`: one place for all of them. */
export type TopologyScope = 'container' | 'pod';

export interface TopologyPolicy {
  readonly name: TopologyPolicyName;
  readonly scope: TopologyScope;
  /** Of places with as many nodes, the one whose nodes are nearer to each other. */
  readonly preferClosest: boolean;
}

/** The NUMA nodes of the machine. */
export interface NumaLayout {
  /** Ascending. */
  readonly nodes: readonly number[];
  /** Undefined when the machine does not say. */
  distance(from: number, to: number): number | undefined;
}
