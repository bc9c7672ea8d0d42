/**
 * Which sandboxes and containers count: of several with one name those that
 * run, and where none does the newest. What has ended uses nothing.
 */
import {
  compareContainers,
  compareSandboxes,
  type ObservedContainer,
  type ObservedSandbox,
} from '../model/observed-pod.ts';

export interface RunningPod {
  readonly sandbox: ObservedSandbox;
  readonly containers: readonly ObservedContainer[];
}

/** One entry for each pod that has a container running. */
export function pickRunning(
  sandboxes: readonly ObservedSandbox[],
  containers: readonly ObservedContainer[],
): RunningPod[] {
  const bySandbox = new Map<string, ObservedContainer[]>();
  for (const container of newestByName(containers.filter(({ state }) => state === 'running'))) {
    const found = bySandbox.get(container.sandboxId);
    if (found === undefined) bySandbox.set(container.sandboxId, [container]);
    else found.push(container);
  }
  return pickSandboxes(sandboxes).flatMap((sandbox) => {
    const running = bySandbox.get(sandbox.id);
    return running === undefined ? [] : [{ sandbox, containers: running }];
  });
}

/** Ready ones, else the newest, of each name. */
function pickSandboxes(sandboxes: readonly ObservedSandbox[]): ObservedSandbox[] {
  const byPod = Map.groupBy(sandboxes, ({ podNamespace, podName }) => `${podNamespace}/${podName}`);
  return [...byPod.values()].flatMap((same) => {
    const ready = same.filter((sandbox) => sandbox.ready);
    return ready.length > 0 ? ready : same.toSorted(compareSandboxes).slice(0, 1);
  });
}

function newestByName(containers: readonly ObservedContainer[]): ObservedContainer[] {
  const byName = Map.groupBy(containers, ({ sandboxId, name }) => `${sandboxId}/${name}`);
  return [...byName.values()].flatMap((same) => same.toSorted(compareContainers).slice(0, 1));
}
