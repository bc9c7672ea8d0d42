/**
 * One main container of an initialised pod: keep it, start it, or stop it and
 * start it again. A stop always precedes the start of the same container in
 * the plan.
 */
import type { Pod } from '../api/pod.ts';
import type { ContainerStop } from '../model/actions.ts';
import { computeContainerHash } from '../model/container-hash.ts';
import { readHash } from '../model/container-labels.ts';
import { toContainerStop } from '../model/container-stop.ts';
import type { SandboxId } from '../model/ids.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import type { PodMember } from '../model/pod-containers.ts';
import type { ProbeResults } from '../model/probe-results.ts';
import {
  effectivePolicy,
  exitCodeOf,
  podPolicy,
  restartsAfterProbeKill,
  shouldStart,
} from '../model/restart.ts';

export type ContainerDecision =
  /** Runs and stays. */
  | { readonly kind: 'keep' }
  /** Ended and stays ended. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'start' }
  | { readonly kind: 'restart'; readonly stop: ContainerStop }
  /** Stopped and not restarted: a failed probe under a policy without restarts. */
  | { readonly kind: 'stop'; readonly stop: ContainerStop };

export function decideContainer(
  pod: Pod,
  member: PodMember,
  newest: ObservedContainer | undefined,
  sandboxId: SandboxId,
  probes: ProbeResults,
): ContainerDecision {
  const { container } = member;
  if (newest === undefined) return { kind: 'start' };
  if (newest.state === 'running' && newest.sandboxId !== sandboxId) {
    // Left over in a sandbox that was replaced: it does not share the pod's network.
    const message = `Stopping container ${container.name}`;
    const kind = podPolicy(pod) === 'Never' ? 'stop' : 'restart';
    return { kind, stop: toContainerStop(pod, member, newest, { message }) };
  }
  if (newest.state === 'running') return decideRunning(pod, member, newest, probes);
  if (newest.state === 'unknown') {
    const message = 'Container is in "unknown" state, try killing it before restart';
    return { kind: 'restart', stop: toContainerStop(pod, member, newest, { message }) };
  }
  if (shouldStart(pod, container, newest)) return { kind: 'start' };
  // The sandbox was replaced: what the loss of the old one ended starts over in the new one.
  const isLost = newest.sandboxId !== sandboxId && podPolicy(pod) !== 'Never';
  const isDone = exitCodeOf(newest) === 0 && effectivePolicy(pod, container) === 'OnFailure';
  return isLost && !isDone ? { kind: 'start' } : { kind: 'leave' };
}

function decideRunning(
  pod: Pod,
  member: PodMember,
  newest: ObservedContainer,
  probes: ProbeResults,
): ContainerDecision {
  const { container } = member;
  if (readHash(newest) !== computeContainerHash(container)) {
    const message = `Container ${container.name} definition changed, will be restarted`;
    return { kind: 'restart', stop: toContainerStop(pod, member, newest, { message }) };
  }
  for (const kind of ['liveness', 'startup'] as const) {
    if (probes.get(kind, newest.id) !== 'failure') continue;
    const probe = kind === 'liveness' ? container.livenessProbe : container.startupProbe;
    const message = `Container ${container.name} failed ${kind} probe`;
    if (!restartsAfterProbeKill(pod, container)) {
      return { kind: 'stop', stop: toContainerStop(pod, member, newest, { message, probe }) };
    }
    return {
      kind: 'restart',
      stop: toContainerStop(pod, member, newest, { message: `${message}, will be restarted`, probe }),
    };
  }
  return { kind: 'keep' };
}
