/** Whom a hook talks to: the instance, and the address its pod has right now. */
import type { Container } from '../../core/api/pod.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { computeAddresses } from '../../core/status/pod-addresses.ts';
import type { ActionContext } from '../pod/perform-action.ts';
import type { HookTarget } from '../pod/run-hook.ts';

export function toHookTarget(
  node: Pick<NodeProfile, 'nodeIps'>,
  container: Container,
  id: ContainerId,
  { record, observed, label }: ActionContext,
): HookTarget {
  const { pod } = record;
  const { podIP } = computeAddresses(pod, observed, pod.status, node.nodeIps());
  return { pod, container, id, podIp: podIP, label };
}
