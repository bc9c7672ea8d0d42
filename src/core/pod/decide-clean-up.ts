/**
 * What a pod no longer needs: dead instances beyond what the node keeps, and
 * sandboxes that were replaced and hold nothing. The newest instance of a
 * container of a living pod always stays: it is the record of exit codes and
 * counts, and without it a container that has completed would run again.
 */
import type { Action, ContainerStop } from '../model/actions.ts';
import type { ObservedContainer, ObservedPod } from '../model/observed-pod.ts';
import { type DeadContainerFacts, isRemovable, KEEP_ONE } from './dead-containers.ts';

const LEAST_GRACE_SECONDS = 2;
const DEFAULT: DeadContainerFacts = { policy: KEEP_ONE, surplus: new Set() };

export interface CleanUpInput {
  readonly observed: ObservedPod;
  readonly nowMs: number;
  readonly deadContainers?: DeadContainerFacts;
  /** The pod runs, or may run again after a restart of the agent. */
  readonly keepsNewest: boolean;
}

export interface CleanUp {
  readonly actions: readonly Action[];
  /** When the next instance reaches the minimum age. */
  readonly wakeUps: readonly number[];
}

export function decideCleanUp({
  observed,
  nowMs,
  deadContainers: { policy, surplus } = DEFAULT,
  keepsNewest,
}: CleanUpInput): CleanUp {
  const dead = new Map<string, number>();
  const newest = new Set<string>();
  const made = new Set<string>();
  const removed = new Set<string>();
  const actions: Action[] = [];
  const wakeUps: number[] = [];
  for (const container of observed.containers) {
    const { id, name, state, createdAtMs } = container;
    const isNewest = !newest.has(name);
    if (isNewest && keepsNewest && state === 'created' && !made.has(name)) {
      // It never ran, so it holds no record and replaces no other instance: it is removed with the next start.
      made.add(name);
      continue;
    }
    newest.add(name);
    // The newest instance, while its state is unknown, is left to the decision about the container.
    if (state === 'running' || (state === 'unknown' && isNewest)) continue;
    const isKept = isNewest && keepsNewest;
    const ended = state === 'unknown' ? { ...container, state: 'exited' as const } : container;
    if (!isRemovable(ended, policy, nowMs)) {
      if (!isKept) wakeUps.push(createdAtMs + policy.minAgeMs);
      continue;
    }
    const count = (dead.get(name) ?? 0) + 1;
    dead.set(name, count);
    const isTooMany = policy.maxPerContainer >= 0 && count > policy.maxPerContainer;
    if (isKept || !(isTooMany || surplus.has(id))) continue;
    removed.add(id);
    if (state === 'unknown') actions.push({ kind: 'stop-containers', stops: [toStop(container)] });
    actions.push({ kind: 'remove-container', id, name, keepLogs: false });
  }
  const left = observed.containers.filter((container) => !removed.has(container.id));
  for (const sandbox of observed.sandboxes.slice(1)) {
    const inUse = sandbox.ready || left.some((container) => container.sandboxId === sandbox.id);
    if (!inUse) actions.push({ kind: 'remove-sandbox', sandboxId: sandbox.id });
  }
  return { actions, wakeUps };
}

/** It may still run: it is stopped before it is removed. Another instance has long taken its place. */
function toStop({ id, name }: ObservedContainer): ContainerStop {
  const message = 'Container is in unknown state, try killing it before removal';
  return { id, name, role: 'regular', graceSeconds: LEAST_GRACE_SECONDS, message, after: [] };
}
