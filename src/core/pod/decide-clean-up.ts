/**
 * What a living pod no longer needs: instances that do not
 * run and are older than the newest such one of their name (that one is the pod's memory of exit codes and counts) and
 * sandboxes that were replaced and hold nothing.
 */
import type { Action } from './actions.ts';
import type { ObservedPod } from './observed-pod.ts';

/** Dead instances kept per container name. */
const KEEP_DEAD = 1;

export function decideCleanUp(observed: ObservedPod): Action[] {
  const seen = new Map<string, number>();
  const removed = new Set<string>();
  const actions: Action[] = [];
  for (const container of observed.containers) {
    if (container.state !== 'exited' && container.state !== 'created') continue;
    const count = (seen.get(container.name) ?? 0) + 1;
    seen.set(container.name, count);
    if (count <= KEEP_DEAD) continue;
    removed.add(container.id);
    actions.push({ kind: 'remove-container', id: container.id, name: container.name, keepLogs: false });
  }
  const left = observed.containers.filter((container) => !removed.has(container.id));
  for (const sandbox of observed.sandboxes.slice(1)) {
    const inUse = sandbox.ready || left.some((container) => container.sandboxId === sandbox.id);
    if (!inUse) actions.push({ kind: 'remove-sandbox', sandboxId: sandbox.id });
  }
  return actions;
}
