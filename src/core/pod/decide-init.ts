/**
 * Init containers and sidecars: run one after the other until the pod counts
 * as initialised, then keep the sidecars alive. The newest instance that has
 * a status shows how far initialisation got, so the answer survives restarts
 * of the agent without state of its own.
 */
import type { Pod, Probe } from '../api/pod.ts';
import type { ContainerStop } from '../model/actions.ts';
import { computeContainerHash } from '../model/container-hash.ts';
import { readHash } from '../model/container-labels.ts';
import { toContainerStop } from '../model/container-stop.ts';
import { newestInstance, type ObservedContainer, type ObservedPod } from '../model/observed-pod.ts';
import { type PodMember, podMembers } from '../model/pod-containers.ts';
import type { ProbeResults } from '../model/probe-results.ts';
import { isFailedInit, restartsAfterProbeKill, shouldStart } from '../model/restart.ts';

export interface InitDecision {
  /** `failed`: an init container ended for good without success, the pod is over. */
  readonly outcome: 'initialised' | 'in-progress' | 'failed';
  readonly stops: readonly ContainerStop[];
  /** In spec order. */
  readonly starts: readonly PodMember[];
}

type Step = {
  readonly initialised?: boolean;
  readonly failed?: boolean;
  readonly startNext?: boolean;
  readonly startThis?: boolean;
  readonly stop?: ContainerStop;
};

export function decideInit(pod: Pod, observed: ObservedPod, probes: ProbeResults): InitDecision {
  const members = podMembers(pod).filter((member) => member.role === 'init' || member.role === 'sidecar');
  if (members.length === 0) return { outcome: 'initialised', stops: [], starts: [] };
  const mainStarted = hasStartedMain(pod, observed);

  let initialised = mainStarted;
  let passed = mainStarted;
  const stops: ContainerStop[] = [];
  const starts = new Set<number>();
  for (let index = members.length - 1; index >= 0; index--) {
    const member = members[index];
    if (member === undefined) continue;
    const newest = newestInstance(observed, member.container.name);
    if (newest === undefined) {
      if (member.role === 'sidecar' && passed) starts.add(index);
      continue;
    }
    if (passed && member.role === 'init') continue;
    const step =
      member.role === 'sidecar' ? sidecarStep(pod, member, newest, probes) : initStep(pod, member, newest);
    if (step.failed === true) return { outcome: 'failed', stops: [], starts: [] };
    const isLast = index === members.length - 1;
    if (step.initialised === true && isLast) initialised = true;
    if (step.initialised === true && !isLast && !passed) starts.add(index + 1);
    if (step.startThis === true) starts.add(index);
    if (step.stop !== undefined) stops.push(step.stop);
    passed = true;
  }
  if (!passed) starts.add(0);
  return {
    outcome: initialised ? 'initialised' : 'in-progress',
    stops,
    starts: members.filter((_, index) => starts.has(index)),
  };
}

/** Only what was started in the newest sandbox counts: after a replacement the pod is initialised again. */
function hasStartedMain(pod: Pod, observed: ObservedPod): boolean {
  return pod.spec.containers.some((container) => {
    const newest = newestInstance(observed, container.name);
    if (newest?.sandboxId !== observed.sandboxes[0]?.id) return false;
    return newest?.state === 'created' || newest?.state === 'running';
  });
}

/** `initialised` here means: this one is done, the next may start. */
function initStep(pod: Pod, member: PodMember, newest: ObservedContainer): Step {
  const { container } = member;
  switch (newest.state) {
    case 'created':
      return { startThis: true };
    case 'running':
      return {};
    case 'exited':
      if (!isFailedInit(newest)) return { initialised: true };
      return shouldStart(pod, container, newest) ? { startThis: true } : { failed: true };
    case 'unknown':
      if (!restartsAfterProbeKill(pod, container)) return { failed: true };
      return {
        startThis: true,
        stop: toContainerStop(pod, member, newest, { message: unknownStateMessage('Init container') }),
      };
  }
}

function sidecarStep(pod: Pod, member: PodMember, newest: ObservedContainer, probes: ProbeResults): Step {
  const { container } = member;
  switch (newest.state) {
    case 'created':
    case 'exited':
      return { startThis: true };
    case 'unknown':
      return {
        startThis: true,
        stop: toContainerStop(pod, member, newest, { message: unknownStateMessage('Init container') }),
      };
    case 'running':
      break;
  }
  const restart = (message: string, probe?: Probe): Step => ({
    startThis: true,
    stop: toContainerStop(pod, member, newest, { message, probe }),
  });
  const startup = container.startupProbe === undefined ? 'success' : probes.get('startup', newest.id);
  if (startup === 'failure') {
    return restart(`Init container ${container.name} failed startup probe`, container.startupProbe);
  }
  if (startup !== 'success') return {};
  if (readHash(newest) !== computeContainerHash(container)) {
    return {
      initialised: true,
      ...restart(`Init container ${container.name} definition changed`),
    };
  }
  if (probes.get('liveness', newest.id) === 'failure') {
    return {
      initialised: true,
      ...restart(`Init container ${container.name} failed liveness probe`, container.livenessProbe),
    };
  }
  return { initialised: true };
}

function unknownStateMessage(what: string): string {
  return `${what} is in "unknown" state, try killing it before restart`;
}
