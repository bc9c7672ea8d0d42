/**
 * The resizes of a living pod: which of its running containers change in
 * place, which restart, and when the pod's own cgroup has to follow. Only
 * containers that nothing else happens to in this pass are looked at; one
 * that starts gets its new resources with the start.
 */
import type { Action, ContainerResize, ContainerStop, StartContainer } from '../model/actions.ts';
import { toContainerStop } from '../model/container-stop.ts';
import { newestInstance, type ObservedContainer, type ObservedSandbox } from '../model/observed-pod.ts';
import { type PodMember, podMembers } from '../model/pod-containers.ts';
import { isDue } from '../model/start-failure.ts';
import { decideContainerResize, isPodLevelChanged, startsResized } from './decide-resize.ts';
import type { PodFacts } from './pod-facts.ts';

export interface Resizes {
  readonly inPlace: readonly ContainerResize[];
  readonly restarts: readonly { readonly member: PodMember; readonly stop: ContainerStop }[];
}

/** `touched` names the containers that are stopped or started anyway. */
export function decideResizes(
  facts: PodFacts,
  sandbox: ObservedSandbox,
  touched: ReadonlySet<string>,
): Resizes {
  const { pod, observed, resize } = facts;
  const inPlace: ContainerResize[] = [];
  const restarts: { member: PodMember; stop: ContainerStop }[] = [];
  for (const member of resize === undefined ? [] : podMembers(pod)) {
    const { name } = member.container;
    const newest = newestInstance(observed, name);
    const isCandidate = newest?.state === 'running' && newest.sandboxId === sandbox.id && !touched.has(name);
    if (!isCandidate || !hasStarted(facts, member, newest)) continue;
    const need = decideContainerResize(pod, member, newest, resize);
    if (need.kind === 'update') inPlace.push(need.resize);
    if (need.kind === 'restart') {
      const message = `Container ${name} resize requires restart`;
      restarts.push({ member, stop: toContainerStop(pod, member, newest, { message }) });
    }
  }
  return { inPlace, restarts };
}

/** The action for what `starts` leave to do, unless an earlier one failed and waits. */
export function toResizeAction(
  { pod, resize, resizeFailure, nowMs }: PodFacts,
  sandbox: ObservedSandbox,
  { inPlace, restarts }: Resizes,
  starts: readonly StartContainer[],
): { readonly actions: readonly Action[]; readonly wakeUps: readonly number[] } {
  if (resize === undefined) return { actions: [], wakeUps: [] };
  const wholePod =
    restarts.length > 0 ||
    isPodLevelChanged(pod, resize) ||
    starts.some((start) => startsResized(pod, start, resize));
  if (inPlace.length === 0 && !wholePod) return { actions: [], wakeUps: [] };
  if (resizeFailure !== undefined && !isDue(resizeFailure, nowMs))
    return { actions: [], wakeUps: [resizeFailure.retryAtMs] };
  return {
    actions: [{ kind: 'resize-pod', sandboxId: sandbox.id, resizes: inPlace, wholePod }],
    wakeUps: [],
  };
}

/** A sidecar that still starts up is left alone. */
function hasStarted(
  { probes }: PodFacts,
  { container, role }: PodMember,
  { id }: ObservedContainer,
): boolean {
  if (role !== 'sidecar' || container.startupProbe === undefined) return true;
  return probes.get('startup', id) === 'success';
}
