/**
 * The rule action RestartAllContainers: one exit restarts the whole pod in
 * place. While it is under way every instance is removed first; status and
 * conditions distinguish such a container from one that was lost.
 */
import type { Container, Pod } from '../api/pod.ts';
import type { PodStatus } from '../api/pod-status.ts';
import { newestInstance, type ObservedPod } from '../model/observed-pod.ts';
import { containersOf } from '../model/pod-containers.ts';
import { exitCodeOf, matchingRule } from '../model/restart.ts';

export const RESTARTING_ALL_CONDITION = 'AllContainersRestarting';
export const RESTARTING_ALL_REASON = 'RestartingAllContainers';

/** True when some container has a rule that restarts the whole pod. */
export function hasRestartAllRule(pod: Pod): boolean {
  return containersOf(pod).some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/** True when the exit of a container triggered it, or the last status announced it. */
export function isRestartingAll(pod: Pod, observed: ObservedPod, old: PodStatus | undefined): boolean {
  if (!hasRestartAllRule(pod)) return false;
  const announced = old?.conditions?.some((c) => c.type === RESTARTING_ALL_CONDITION && c.status === 'True');
  return announced === true || containersOf(pod).some((container) => asksForRestart(container, observed));
}

/** True while an instance of an init or regular container is left. */
export function hasInstances(pod: Pod, observed: ObservedPod): boolean {
  const names = new Set(containersOf(pod).map(({ name }) => name));
  return observed.containers.some(({ name }) => names.has(name));
}

function asksForRestart(container: Container, observed: ObservedPod): boolean {
  const newest = newestInstance(observed, container.name);
  if (newest?.state !== 'exited' || container.restartPolicy === undefined) return false;
  return matchingRule(container, exitCodeOf(newest)) === 'RestartAllContainers';
}
