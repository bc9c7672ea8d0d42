/** Whether a run can begin on a runtime: what would fail later, in words, before anything starts. Pure. */
import type { RuntimeFacts } from '../../../adapters/cri/inspect-runtime.ts';
import type { Pod } from '../../../core/api/pod.ts';

const SHOWN_PODS = 3;
const NETWORK_ADVICE =
  'put a CNI configuration into /etc/cni/net.d and the plugins into /opt/cni/bin, or use hostNetwork: true';

/** What keeps the pods from running, with how to mend it; undefined when nothing does. */
export function findRunObstacle(
  endpoint: string,
  facts: RuntimeFacts | { readonly problem: string },
  pods: readonly Pick<Pod, 'spec'>[],
): string | undefined {
  if ('problem' in facts) return `cannot use the container runtime on ${endpoint}: ${facts.problem}`;
  const broken = facts.conditions.find(({ status, type }) => type === 'RuntimeReady' && !status);
  if (broken !== undefined)
    return `the container runtime on ${endpoint} is not ready: ${broken.message || broken.reason}`;
  const network = facts.conditions.find(({ status, type }) => type === 'NetworkReady' && !status);
  if (network !== undefined && pods.some(({ spec }) => spec.hostNetwork !== true))
    return `the container runtime has no pod network: ${network.message || network.reason}\n${NETWORK_ADVICE}`;
  if (facts.podsOfOthers.length > 0) return describeOthers(endpoint, facts.podsOfOthers);
  return undefined;
}

/** A kubelet ends every pod in its runtime that it has no manifest for. */
function describeOthers(endpoint: string, pods: readonly string[]): string {
  const shown = pods.slice(0, SHOWN_PODS).join(', ');
  const more = pods.length > SHOWN_PODS ? ` and ${pods.length - SHOWN_PODS} more` : '';
  return [
    `the container runtime on ${endpoint} belongs to another kubelet, which would end these pods: it runs ${shown}${more}`,
    'put the manifest into that kubelet’s directory, or name another runtime with --runtime-endpoint',
  ].join('\n');
}
