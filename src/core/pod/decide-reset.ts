/**
 * The rule action RestartAllContainers: one exit starts the whole pod over in
 * its sandbox. Every instance of init and main containers goes, without grace;
 * the next pass finds none and begins with the first init container.
 */
import type { Pod } from '../api/pod.ts';
import type { Action } from '../model/actions.ts';
import { toPodStop } from '../model/container-stop.ts';
import { newestInstance, type ObservedContainer, type ObservedPod } from '../model/observed-pod.ts';
import { type PodMember, podMembers } from '../model/pod-containers.ts';
import { exitCodeOf, matchingRule } from '../model/restart.ts';

/** Empty when no exit asks for it. */
export function decideReset(pod: Pod, observed: ObservedPod): Action[] {
  const members = podMembers(pod).filter(({ role }) => role !== 'ephemeral');
  const sources = members.filter(({ container }) => asksForReset(container, observed));
  if (sources.length === 0) return [];
  // Instances whose exit triggers the restart go last: after a crash in between, they still trigger it.
  const others = members.filter((member) => !sources.includes(member));
  // For the same reason, and for the count, the newest instance of each goes last.
  const ordered = [...mainFirst(others), ...mainFirst(sources)].flatMap(({ container }) =>
    observed.containers.filter(({ name }) => name === container.name).toReversed(),
  );
  return [...stopAtOnce(pod, ordered), ...ordered.map(toRemoval)];
}

function asksForReset(container: PodMember['container'], observed: ObservedPod): boolean {
  const newest = newestInstance(observed, container.name);
  if (newest?.state !== 'exited' || container.restartPolicy === undefined) return false;
  return matchingRule(container, exitCodeOf(newest)) === 'RestartAllContainers';
}

function mainFirst(members: readonly PodMember[]): PodMember[] {
  const main = members.filter(({ role }) => role === 'regular');
  return [...main, ...members.filter(({ role }) => role !== 'regular')];
}

function stopAtOnce(pod: Pod, instances: readonly ObservedContainer[]): Action[] {
  const running = instances.filter(({ state }) => state === 'running' || state === 'unknown');
  const stops = toPodStop(pod, running, undefined).map((stop) => ({ ...stop, graceSeconds: 0 }));
  return stops.length > 0 ? [{ kind: 'stop-containers', stops }] : [];
}

function toRemoval({ id, name }: ObservedContainer): Action {
  return { kind: 'remove-container', id, name, keepLogs: true };
}
