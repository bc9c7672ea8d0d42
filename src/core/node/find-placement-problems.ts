/**
 * Why a pod does not belong on this node, besides lack of room: selectors, the
 * node's name, host ports, taints. All are checked, because preemption can
 * free room for a critical pod but solves none of these.
 */
import type { ContainerPort, Pod } from '../api/pod.ts';
import { isStatic } from '../api/pod-identity.ts';
import { sidecarsOf } from '../model/pod-containers.ts';
import type { AdmissionFacts, AdmissionRefusal } from './admission-facts.ts';
import { matchesNodeAffinity } from './node-affinity.ts';
import { tolerates } from './tolerates.ts';

/** The reason for a node that the pod's selector or affinity excludes. */
export const NODE_AFFINITY = 'NodeAffinity';

const ALL_ADDRESSES = '0.0.0.0';

export function findPlacementProblems(pod: Pod, { node, others }: AdmissionFacts): AdmissionRefusal[] {
  const problems: AdmissionRefusal[] = [];
  const { nodeName = '', tolerations } = pod.spec;
  if (!matchesNodeAffinity(pod, node))
    problems.push(toRefusal(NODE_AFFINITY, "node(s) didn't match Pod's node affinity/selector"));
  if (nodeName !== '' && nodeName !== node.name)
    problems.push(toRefusal('NodeName', "node(s) didn't match the requested node name"));
  if (hasPortConflict(pod, others))
    problems.push(toRefusal('NodePorts', "node(s) didn't have free ports for the requested pod ports"));
  const evicting = node.taints.filter(({ effect }) => effect === 'NoExecute');
  if (!isStatic(pod) && evicting.some((taint) => !tolerates(tolerations, taint)))
    problems.push(toRefusal('TaintToleration', "node(s) had taints that the pod didn't tolerate"));
  return problems;
}

function toRefusal(predicate: string, why: string): AdmissionRefusal {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${why}` };
}

function hasPortConflict(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return false;
  const taken = others.flatMap(hostPortsOf);
  return wanted.some((port) => taken.some((other) => isSamePort(port, other)));
}

function hostPortsOf({ spec }: Pod): ContainerPort[] {
  const sidecars = sidecarsOf({ spec });
  const ports = [...spec.containers, ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.filter(({ hostPort = 0 }) => hostPort > 0);
}

function isSamePort(a: ContainerPort, b: ContainerPort): boolean {
  if (a.hostPort !== b.hostPort || (a.protocol ?? 'TCP') !== (b.protocol ?? 'TCP')) return false;
  const [one, other] = [a.hostIP || ALL_ADDRESSES, b.hostIP || ALL_ADDRESSES];
  return one === other || one === ALL_ADDRESSES || other === ALL_ADDRESSES;
}
