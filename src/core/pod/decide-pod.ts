/**
 * The decision about one pod: from what is wanted and what runs to the next
 * steps. Pure, so that every rule is a row in a table and the same answer
 * drives the worker, the status and the explanation.
 *
 *   terminating? ─► stop, then remove
 *   no usable sandbox? ─► stop leftovers, make one (the next pass goes on)
 *   else ─► ephemeral, init, main containers; then clean-up
 */
import type { Action, ContainerRole, StartContainer } from './actions.ts';
import { type PodMember, podMembers } from './container-stop.ts';
import { decideCrashLoop } from './crash-loop.ts';
import { decideCleanUp } from './decide-clean-up.ts';
import { decideContainer } from './decide-container.ts';
import { decideInit } from './decide-init.ts';
import { decideTermination, stopActions } from './decide-termination.ts';
import { newestInstance, type ObservedSandbox } from './observed-pod.ts';
import type { PodFacts, PodPlan } from './pod-facts.ts';
import { effectivePolicy, exitCodeOf, podPolicy } from './restart.ts';
import { decideSandbox, type SandboxNeed } from './sandbox-need.ts';
import { toWaitingReason, type WaitingReason } from './start-failure.ts';

export function decidePod(facts: PodFacts): PodPlan {
  if (facts.termination !== undefined) return decideTermination(facts, facts.termination);
  const need = decideSandbox(facts.pod, facts.observed);
  if (need.kind === 'create') return decideNewSandbox(facts, need);
  return decideContainers(facts, need.sandbox);
}

function decideNewSandbox(facts: PodFacts, need: SandboxNeed & { kind: 'create' }): PodPlan {
  const { pod, observed, nowMs, podFailure, networkProblem } = facts;
  if (isFinished(facts, need))
    return { ...emptyPlan(), actions: stopActions(facts, undefined), completed: true };
  if (podFailure !== undefined && nowMs < podFailure.retryAtMs) {
    return {
      ...emptyPlan(),
      wakeAtMs: podFailure.retryAtMs,
      podWaitsFor: `a retry of ${podFailure.step}: ${podFailure.message}`,
    };
  }
  if (networkProblem !== undefined && pod.spec.hostNetwork !== true) {
    return { ...emptyPlan(), podWaitsFor: `the network: ${networkProblem}` };
  }
  const initNames = new Set((pod.spec.initContainers ?? []).map(({ name }) => name));
  const ended = observed.containers.filter(({ name }) => initNames.has(name));
  const actions: Action[] = [
    ...stopActions(facts, undefined),
    ...observed.sandboxes
      .filter(({ ready }) => !ready)
      .map(({ id }) => ({ kind: 'stop-sandbox' as const, sandboxId: id })),
    // A new sandbox runs init containers from the start, so their results go.
    ...ended.map(({ id, name }) => ({ kind: 'remove-container' as const, id, name, keepLogs: true })),
    {
      kind: 'create-sandbox',
      attempt: need.attempt,
      ...(need.replaces === undefined ? {} : { replaces: need.replaces }),
    },
  ];
  return { ...emptyPlan(), actions };
}

/** True when a lost sandbox is no reason to make another: everything that had to run has run. */
function isFinished({ pod, observed }: PodFacts, need: SandboxNeed & { kind: 'create' }): boolean {
  if (podPolicy(pod) === 'Never' && need.attempt !== 0 && observed.containers.length > 0) return true;
  const newest = pod.spec.containers.map((container) => ({
    container,
    instance: newestInstance(observed, container.name),
  }));
  const unfinished = newest.some(({ container, instance }) => {
    const succeeded = instance?.state === 'exited' && exitCodeOf(instance) === 0;
    return !(succeeded && effectivePolicy(pod, container) === 'OnFailure');
  });
  return !unfinished && newest.some(({ instance }) => instance !== undefined);
}

function decideContainers(facts: PodFacts, sandbox: ObservedSandbox): PodPlan {
  const { pod, observed, probes } = facts;
  const members = podMembers(pod);
  const starts: PodMember[] = members.filter(
    ({ container, role }) => role === 'ephemeral' && newestInstance(observed, container.name) === undefined,
  );
  const init = decideInit(pod, observed, probes);
  const stops = [...init.stops];
  let alive = init.outcome === 'in-progress';
  starts.push(...init.starts);
  if (init.outcome === 'initialised') {
    for (const member of members.filter(({ role }) => role === 'regular')) {
      const decision = decideContainer(
        pod,
        member,
        newestInstance(observed, member.container.name),
        sandbox.id,
        probes,
      );
      if (decision.kind === 'restart' || decision.kind === 'stop') stops.push(decision.stop);
      if (decision.kind === 'restart' || decision.kind === 'start') starts.push(member);
      if (decision.kind !== 'leave' && decision.kind !== 'stop') alive = true;
    }
  }
  const stopping: Action[] = stops.length > 0 ? [{ kind: 'stop-containers', stops }] : [];
  if (!alive && stops.length > 0) return { ...emptyPlan(), actions: stopping };
  if (!alive) return { ...emptyPlan(), actions: stopActions(facts, undefined), completed: true };
  const ready = planStarts(facts, sandbox, starts);
  return { ...ready, actions: [...stopping, ...ready.actions, ...decideCleanUp(observed)] };
}

/** Turns wanted starts into actions, or into waiting where a back-off or an earlier failure holds them. */
function planStarts(facts: PodFacts, sandbox: ObservedSandbox, members: readonly PodMember[]): PodPlan {
  const actions: StartContainer[] = [];
  const waiting = new Map<string, WaitingReason>();
  const wakeUps: number[] = [];
  for (const { container, role } of members) {
    const failure = facts.startFailures.get(container.name);
    const crashLoop = decideCrashLoop(facts, container, newestInstance(facts.observed, container.name));
    if (crashLoop.kind === 'wait') {
      waiting.set(container.name, crashLoop.waiting);
      wakeUps.push(crashLoop.untilMs);
    } else if (failure !== undefined && facts.nowMs < failure.retryAtMs) {
      const { changesAtMs, ...reason } = toWaitingReason(failure, container.image ?? '', facts.nowMs);
      waiting.set(container.name, reason);
      wakeUps.push(changesAtMs ?? failure.retryAtMs, failure.retryAtMs);
    } else {
      actions.push(toStart(container, role, sandbox, crashLoop.remember));
    }
  }
  const plan = { ...emptyPlan(), actions, waiting };
  return wakeUps.length > 0 ? { ...plan, wakeAtMs: Math.min(...wakeUps) } : plan;
}

function toStart(
  container: StartContainer['container'],
  role: ContainerRole,
  sandbox: ObservedSandbox,
  backOff: StartContainer['backOff'],
): StartContainer {
  const start = {
    kind: 'start-container' as const,
    container,
    role,
    sandboxId: sandbox.id,
    sandboxAttempt: sandbox.attempt,
  };
  return backOff === undefined ? start : { ...start, backOff };
}

function emptyPlan(): PodPlan {
  return { actions: [], waiting: new Map(), completed: false, gone: false };
}
