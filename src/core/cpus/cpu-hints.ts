/** From which NUMA nodes a container, or a pod, could get the CPUs it wants for itself. */
import type { Container, Pod } from '../api/pod.ts';
import { toPodUid } from '../model/ids.ts';
import { containersOf } from '../model/pod-containers.ts';
import { countNodes, type NumaMask, nodesOf, subsetsOf } from '../topology/numa-mask.ts';
import type { ResourceHints, TopologyHint } from '../topology/topology-hint.ts';
import { freeCpus } from './allocate-cpus.ts';
import type { CpuPolicy } from './cpu-policy.ts';
import { exclusiveCpus, exclusiveCpusOfPod } from './cpu-request.ts';
import { type CpuSet, NO_CPUS } from './cpu-set.ts';
import { type CpuState, reusableCpus } from './cpu-state.ts';
import { allCpus, cpusIn, groupsOf } from './cpu-topology.ts';

/** Undefined when the container uses the shared pool. */
export function toCpuHints(
  policy: CpuPolicy,
  state: CpuState,
  pod: Pod,
  container: Container,
): ResourceHints | undefined {
  const count = exclusiveCpus(pod, container);
  if (count === 0) return undefined;
  const had = state.assigned.get(toPodUid(pod.metadata.uid))?.get(container.name);
  if (had !== undefined) return asHints(had.size === count ? listHints(policy, had, NO_CPUS, count) : []);
  const reusable = reusableCpus(state, pod, container);
  return asHints(listHints(policy, freeCpus(policy, state), reusable, count));
}

/** The same for all containers of the pod together. */
export function toPodCpuHints(policy: CpuPolicy, state: CpuState, pod: Pod): ResourceHints | undefined {
  const count = exclusiveCpusOfPod(pod);
  if (count === 0) return undefined;
  const ofPod = state.assigned.get(toPodUid(pod.metadata.uid));
  let had = NO_CPUS;
  for (const container of containersOf(pod)) {
    const own = ofPod?.get(container.name);
    if (own === undefined) continue;
    if (own.size !== exclusiveCpus(pod, container)) return asHints([]);
    had = had.union(own);
  }
  if (had.size === count) return asHints(listHints(policy, had, NO_CPUS, count));
  return asHints(listHints(policy, freeCpus(policy, state), had, count));
}

function asHints(list: readonly TopologyHint[]): ResourceHints {
  return new Map([['cpu', list]]);
}

/** Places that hold all that is reused and enough besides; preferred with as few nodes as the machine allows. */
function listHints(policy: CpuPolicy, free: CpuSet, reusable: CpuSet, count: number): TopologyHint[] {
  const { topology } = policy;
  const all = allCpus(topology);
  let fewest = topology.nodes.length;
  const places: NumaMask[] = [];
  for (const place of subsetsOf(topology.nodes)) {
    const nodes = new Set(nodesOf(place));
    if (cpusIn(topology, all, 'node', nodes).size >= count) fewest = Math.min(fewest, nodes.size);
    if (cpusIn(topology, reusable, 'node', nodes).size < reusable.size) continue;
    if (reusable.size + cpusIn(topology, free, 'node', nodes).size >= count) places.push(place);
  }
  return places.map((nodes) => ({
    nodes,
    preferred: countNodes(nodes) === fewest || isOnFewestSockets(policy, nodes, fewest),
  }));
}

/** Only by the option: as many nodes as fit on the sockets that are needed anyway are as good as fewer. */
function isOnFewestSockets({ topology, options }: CpuPolicy, place: NumaMask, fewest: number): boolean {
  if (!options.bySocket) return false;
  const { node, socket } = topology.counts;
  const perSocket = Math.floor(node / Math.max(1, socket));
  if (perSocket === 0) return false;
  const cpus = cpusIn(topology, allCpus(topology), 'node', new Set(nodesOf(place)));
  return groupsOf(topology, cpus, 'socket').size === Math.ceil(fewest / perSocket);
}
