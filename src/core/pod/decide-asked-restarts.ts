/** Running containers that an operator wants restarted: stopped as for a failed probe, and started in the same plan. */
import type { ContainerStop } from '../model/actions.ts';
import { toContainerStop } from '../model/container-stop.ts';
import { newestInstance } from '../model/observed-pod.ts';
import { type PodMember, podMembers } from '../model/pod-containers.ts';
import { effectivePolicy } from '../model/restart.ts';
import type { PodFacts } from './pod-facts.ts';

export interface AskedRestart {
  readonly member: PodMember;
  readonly stop: ContainerStop;
}

/** `touched` names those that are stopped or started anyway. */
export function decideAskedRestarts(
  { pod, observed, restartsAsked }: Pick<PodFacts, 'pod' | 'observed' | 'restartsAsked'>,
  touched: ReadonlySet<string>,
): AskedRestart[] {
  if (restartsAsked === undefined || restartsAsked.size === 0) return [];
  return podMembers(pod).flatMap((member) => {
    const { container } = member;
    const newest = newestInstance(observed, container.name);
    if (newest?.state !== 'running' || !restartsAsked.has(newest.id) || touched.has(container.name))
      return [];
    if (!mayRestart(pod, member)) return [];
    const message = `Restart of container ${container.name} was requested, will be restarted`;
    return [{ member, stop: toContainerStop(pod, member, newest, { message }) }];
  });
}

/**
 * What might not come back is not stopped. Under OnFailure that hangs on the exit code once the start after the stop
 * fails or the agent ends in between: most programs leave a stop with 0, and the pod would count as completed.
 */
export function mayRestart(pod: PodFacts['pod'], { container, role }: PodMember): boolean {
  return role === 'sidecar' || (role === 'regular' && effectivePolicy(pod, container) === 'Always');
}
