/**
 * Whether a container that ended is started again. The container's own policy
 * and rules come before the pod's policy; decisions and status share these
 * answers so that the phase never promises what the worker will not do.
 */
import type { Container, Pod, PodRestartPolicy } from '../api/pod.ts';
import type { ObservedContainer } from './observed-pod.ts';

/** The action of the first restart rule that matches the exit code. */
export function matchingRule(
  container: Container,
  exitCode: number,
): 'Restart' | 'RestartAllContainers' | undefined {
  const rule = container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    const listed = exitCodes.values?.includes(exitCode) ?? false;
    return exitCodes.operator === 'In' ? listed : !listed;
  });
  return rule?.action;
}

/** True when the pod or container rules say that an instance with this exit code is started again. */
export function restartsAfterExit(pod: Pod, container: Container, exitCode: number): boolean {
  if (container.restartPolicy === undefined) return policyAllows(podPolicy(pod), exitCode);
  if (matchingRule(container, exitCode) !== undefined) return true;
  return policyAllows(container.restartPolicy, exitCode);
}

/**
 * True when the container is to be started, given its newest instance: never
 * seen, half made, lost, or ended and restartable. Nothing starts once the
 * pod is being deleted.
 */
export function shouldStart(pod: Pod, container: Container, newest: ObservedContainer | undefined): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (newest === undefined) return true;
  switch (newest.state) {
    case 'running':
      return false;
    case 'created':
    case 'unknown':
      return true;
    case 'exited':
      return restartsAfterExit(pod, container, exitCodeOf(newest));
  }
}

/** True when a kill for a failed probe is followed by a new start; exit-code rules are not asked. */
export function restartsAfterProbeKill(pod: Pod, container: Container): boolean {
  return (container.restartPolicy ?? podPolicy(pod)) !== 'Never';
}

/** The policy that counts for one container when no exit code is known. */
export function effectivePolicy(pod: Pod, container: Container): PodRestartPolicy {
  return container.restartPolicy ?? podPolicy(pod);
}

/** The pod's restart policy with the API default. */
export function podPolicy(pod: Pod): PodRestartPolicy {
  return pod.spec.restartPolicy ?? 'Always';
}

/** The exit code of an ended instance; a code the runtime did not report counts as 0, as on the wire. */
export function exitCodeOf(container: ObservedContainer): number {
  return container.details?.exitCode ?? 0;
}

/** True for an ended init container that failed. */
export function isFailedInit(container: ObservedContainer): boolean {
  return exitCodeOf(container) !== 0 || container.details?.reason === 'OOMKilled';
}

function policyAllows(policy: PodRestartPolicy, exitCode: number): boolean {
  switch (policy) {
    case 'Always':
      return true;
    case 'OnFailure':
      return exitCode !== 0;
    case 'Never':
      return false;
  }
}
