/**
 * A pod that is to end. First everything that may run is stopped, then its
 * sandboxes, then its volumes go, then (when the cause takes the content too, and
 * the pod does not come back) what is left is removed. Each pass reads the runtime again, so a crash in between only
 * repeats a step.
 */
import { isStatic } from '../api/pod-identity.ts';
import type { Action } from '../model/actions.ts';
import { toPodStop } from '../model/container-stop.ts';
import type { ObservedContainer } from '../model/observed-pod.ts';
import { isDue } from '../model/start-failure.ts';
import { removesContent, type Termination } from '../model/termination.ts';
import { decideCleanUp } from './decide-clean-up.ts';
import type { PodFacts, PodPlan } from './pod-facts.ts';

export function decideTermination(facts: PodFacts, termination: Termination): PodPlan {
  const failure = facts.podFailure;
  // What failed before the pod was to end (a sandbox, say) does not delay its end.
  const isOwn = failure !== undefined && failure.failedAtMs >= termination.requestedAtMs;
  if (isOwn && !isDue(failure, facts.nowMs)) {
    const podWaitsFor = `the retry to end it after "${failure.step}" failed: ${failure.message}`;
    return { ...idle, wakeAtMs: failure.retryAtMs, podWaitsFor };
  }
  const stopping = stopActions(facts, termination);
  if (stopping.length > 0) return { ...idle, actions: stopping };
  const unmounting: Action[] = [
    ...(facts.claimsHeld === true ? [{ kind: 'release-claims' as const }] : []),
    ...(facts.volumes.held ? [{ kind: 'unmount-volumes' as const }] : []),
  ];
  if (!removesContent(termination.cause)) return keepEnded(facts, unmounting);
  const { containers, sandboxes } = facts.observed;
  if (termination.returns === true) {
    const neverRan = containers.filter(({ state }) => state === 'created');
    return { ...idle, actions: [...unmounting, ...toRemoval(neverRan)], gone: true };
  }
  const actions: Action[] = [
    ...unmounting,
    ...toRemoval(containers),
    ...sandboxes.map(({ id }) => ({ kind: 'remove-sandbox' as const, sandboxId: id })),
    { kind: 'release-pod' },
  ];
  return { ...idle, actions, gone: true };
}

/** A pod that has ended and is still wanted keeps its containers, for their logs, as far as the node keeps any. */
function keepEnded(facts: PodFacts, unmounting: readonly Action[]): PodPlan {
  // For a static pod the kept containers are the only record that it has ended.
  const { actions, wakeUps } = decideCleanUp({ ...facts, keepsNewest: isStatic(facts.pod) });
  const plan = { ...idle, actions: [...unmounting, ...actions] };
  return wakeUps.length === 0 ? plan : { ...plan, wakeAtMs: Math.min(...wakeUps) };
}

/** Stops what may run and every ready sandbox; empty when nothing runs. */
export function stopActions(facts: PodFacts, termination: Termination | undefined): Action[] {
  const { pod, observed } = facts;
  const running = observed.containers.filter(({ state }) => state === 'running' || state === 'unknown');
  const stops = toPodStop(pod, running, termination);
  const sandboxes = observed.sandboxes.filter((sandbox) => sandbox.ready);
  return [
    ...(stops.length > 0 ? [{ kind: 'stop-containers' as const, stops }] : []),
    ...sandboxes.map(({ id }) => ({ kind: 'stop-sandbox' as const, sandboxId: id })),
  ];
}

function toRemoval(containers: readonly ObservedContainer[]): Action[] {
  return containers.map(({ id, name }) => ({ kind: 'remove-container', id, name, keepLogs: false }));
}

const idle: PodPlan = { actions: [], waiting: new Map(), completed: false, gone: false };
