/**
 * The decision about one pod: from what is wanted and what runs to the next
 * steps. Pure, so that every rule is a row in a table and the same answer
 * drives the worker, the status and the explanation.
 *
 *   terminating? ─► stop, then remove
 *   over? ─► stop what is left, ask for the termination `completed`
 *   past its active deadline? ─► ask for the termination `deadline`
 *   runs outside its cgroup? ─► stop it (the next pass re-creates it, if it may run again)
 *   an exit asks to restart all? ─► remove every instance (the next pass goes on)
 *   no usable sandbox? ─► stop leftovers, mount volumes, make one (the next pass goes on)
 *   the runtime takes no new work? ─► whatever starts something waits as a whole
 *   else ─► resources of what runs; ephemeral, init, main containers; then clean-up
 */
import type { Pod } from '../api/pod.ts';
import type { Action, ContainerStop } from '../model/actions.ts';
import { newestInstance, type ObservedSandbox } from '../model/observed-pod.ts';
import { initContainersOf, type PodMember, podMembers } from '../model/pod-containers.ts';
import { podPolicy } from '../model/restart.ts';
import { isDue, type PodFailure } from '../model/start-failure.ts';
import { mergeTermination, type Termination } from '../model/termination.ts';
import { decideAskedRestarts } from './decide-asked-restarts.ts';
import { decideCleanUp } from './decide-clean-up.ts';
import { decideContainer } from './decide-container.ts';
import { decideInit } from './decide-init.ts';
import { decidePins } from './decide-pins.ts';
import { decideReset } from './decide-reset.ts';
import { decideResizes, type Resizes, toResizeAction } from './decide-resizes.ts';
import { decideTermination, stopActions } from './decide-termination.ts';
import { planStarts } from './plan-starts.ts';
import type { PodFacts, PodPlan } from './pod-facts.ts';
import { isOver } from './pod-over.ts';
import { decideSandbox, type SandboxNeed } from './sandbox-need.ts';

type NewSandbox = SandboxNeed & { kind: 'create' };

export function decidePod(facts: PodFacts): PodPlan {
  const { pod, observed } = facts;
  const termination = facts.termination ?? impliedTermination(pod);
  if (termination !== undefined) return decideTermination(facts, termination);
  if (isOver(pod, observed)) return endPlan(facts);
  const { activeDeadlineSeconds } = pod.spec;
  if (activeDeadlineSeconds === undefined) return holdStarts(facts, decideWanted(facts));
  const deadlineAtMs = facts.startedAtMs + activeDeadlineSeconds * 1000;
  if (facts.nowMs >= deadlineAtMs) return { ...emptyPlan(), pastDeadline: true };
  const plan = holdStarts(facts, decideWanted(facts));
  const wakeUps = plan.wakeAtMs === undefined ? [] : [plan.wakeAtMs];
  return withWakeUp({ ...plan, deadlineAtMs }, [...wakeUps, deadlineAtMs]);
}

function decideWanted(facts: PodFacts): PodPlan {
  const { pod, observed } = facts;
  if (facts.cgroupMissing === true && observed.containers.some(({ state }) => state === 'running'))
    return waitForRetry(facts) ?? { ...emptyPlan(), actions: stopActions(facts, undefined) };
  const reset = decideReset(pod, observed);
  if (reset.length > 0) return waitForRetry(facts) ?? { ...emptyPlan(), actions: reset };
  const need = decideSandbox(pod, observed);
  if (need.kind === 'create') return decideNewSandbox(facts, need);
  return decideContainers(facts, need.sandbox);
}

/** What would be stopped in order to start it again runs on meanwhile. */
function holdStarts({ runtimeProblem }: PodFacts, plan: PodPlan): PodPlan {
  const starts = plan.actions.some(({ kind }) => kind === 'create-sandbox' || kind === 'start-container');
  if (runtimeProblem === undefined || !starts) return plan;
  return { ...plan, actions: [], podWaitsFor: `the container runtime: ${runtimeProblem}` };
}

/** A pod that is being deleted ends, even before its record says so. */
function impliedTermination(pod: Pod): Termination | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined;
  return mergeTermination(pod, undefined, { cause: 'deleted' }, { requestedAtMs: 0 });
}

function decideNewSandbox(facts: PodFacts, need: NewSandbox): PodPlan {
  const { pod, observed, networkProblem } = facts;
  // A pod that is never restarted does not outlive its sandbox.
  const runsOnce = podPolicy(pod) === 'Never' && need.attempt !== 0 && observed.containers.length > 0;
  if (runsOnce) return endPlan(facts);
  const held = waitForRetry(facts);
  if (held !== undefined) return held;
  if (networkProblem !== undefined && pod.spec.hostNetwork !== true) {
    const message = `network is not ready: ${networkProblem}`;
    return {
      ...emptyPlan(),
      podWaitsFor: `the network: ${networkProblem}`,
      events: [{ type: 'Warning', reason: 'NetworkNotReady', message }],
    };
  }
  const initNames = new Set(initContainersOf(pod).map(({ name }) => name));
  // Oldest first: after a crash in between, the newest is left and has the count.
  const ended = observed.containers.filter(({ name }) => initNames.has(name)).toReversed();
  const actions: Action[] = [
    ...stopActions(facts, undefined),
    ...observed.sandboxes
      .filter(({ ready }) => !ready)
      .map(({ id }) => ({ kind: 'stop-sandbox' as const, sandboxId: id })),
    // A new sandbox runs init containers from the start, so their results go.
    ...ended.map(({ id, name }) => ({ kind: 'remove-container' as const, id, name, keepLogs: true })),
    ...mountActions(facts),
    {
      kind: 'create-sandbox',
      attempt: need.attempt,
      ...(need.replaces === undefined ? {} : { replaces: need.replaces }),
    },
  ];
  return { ...emptyPlan(), actions };
}

function decideContainers(facts: PodFacts, sandbox: ObservedSandbox): PodPlan {
  const { pod, observed, probes } = facts;
  const members = podMembers(pod);
  const init = decideInit(pod, observed, probes);
  const stops = [...init.stops];
  const starts: PodMember[] = [
    ...members.filter(
      ({ container, role }) => role === 'ephemeral' && newestInstance(observed, container.name) === undefined,
    ),
    ...init.starts,
  ];
  let alive = init.outcome === 'in-progress';
  if (init.outcome === 'initialised') {
    for (const member of members.filter(({ role }) => role === 'regular')) {
      const newest = newestInstance(observed, member.container.name);
      const decision = decideContainer(pod, member, newest, sandbox.id, probes);
      if (decision.kind === 'restart' || decision.kind === 'stop') stops.push(decision.stop);
      if (decision.kind === 'restart' || decision.kind === 'start') starts.push(member);
      if (decision.kind !== 'leave' && decision.kind !== 'stop') alive = true;
    }
  }
  if (alive) {
    const touched = new Set([
      ...stops.map(({ name }) => name),
      ...starts.map((member) => member.container.name),
    ]);
    for (const { stop, member } of decideAskedRestarts(facts, touched)) {
      stops.push(stop);
      starts.push(member);
      touched.add(stop.name);
    }
    return planLiving(facts, sandbox, stops, starts, decideResizes(facts, sandbox, touched));
  }
  if (stops.length === 0) return endPlan(facts);
  return waitForRetry(facts) ?? { ...emptyPlan(), actions: [{ kind: 'stop-containers', stops }] };
}

/** Nothing starts before the volumes are there; what runs keeps running, also when they fail after a restart. */
function mountActions({ volumes }: PodFacts): Action[] {
  return volumes.ready ? [] : [{ kind: 'mount-volumes' }];
}

/** While a failed stop or clean-up waits for its retry, containers that need no stop continue. */
function planLiving(
  facts: PodFacts,
  sandbox: ObservedSandbox,
  otherStops: readonly ContainerStop[],
  otherStarts: readonly PodMember[],
  resizes: Resizes,
): PodPlan {
  const failure = pendingFailure(facts);
  const stops = [...otherStops, ...resizes.restarts.map(({ stop }) => stop)];
  const starts = [...otherStarts, ...resizes.restarts.map(({ member }) => member)];
  const stopped = new Set(stops.map(({ name }) => name));
  const mounting = mountActions(facts);
  const unhindered = starts.filter(({ container }) => mounting.length === 0 && !stopped.has(container.name));
  const free = failure === undefined ? starts : unhindered;
  const ready = planStarts(facts, sandbox, free);
  const cleanUp = decideCleanUp({ ...facts, keepsNewest: true });
  const stopping: Action[] = stops.length > 0 ? [{ kind: 'stop-containers', stops }] : [];
  if (failure === undefined) {
    const resizing = toResizeAction(facts, sandbox, resizes, ready.actions);
    const pinning = decidePins(
      facts,
      new Set([...stopped, ...starts.map(({ container }) => container.name)]),
    );
    const changes = [...mounting, ...stopping, ...resizing.actions, ...pinning.actions];
    const actions = [...changes, ...ready.actions, ...cleanUp.actions];
    const wakeUps = [...ready.wakeUps, ...resizing.wakeUps, ...pinning.wakeUps, ...cleanUp.wakeUps];
    return withWakeUp({ ...emptyPlan(), actions, waiting: ready.waiting }, wakeUps);
  }
  const held = mounting.length + stopping.length + cleanUp.actions.length > 0 ? [failure.retryAtMs] : [];
  const plan = {
    ...emptyPlan(),
    actions: ready.actions,
    waiting: ready.waiting,
    ...(mounting.length > 0 && { podWaitsFor: describeRetry(failure) }),
  };
  return withWakeUp(plan, [...ready.wakeUps, ...held]);
}

/** Everything that had to run has run: what is left stops, and the pod asks to be ended. */
function endPlan(facts: PodFacts): PodPlan {
  const held = stopActions(facts, undefined).length > 0 ? waitForRetry(facts) : undefined;
  return { ...(held ?? { ...emptyPlan(), actions: stopActions(facts, undefined) }), completed: true };
}

/** The plan while a failed step of the pod as a whole waits for its retry. */
function waitForRetry(facts: PodFacts): PodPlan | undefined {
  const failure = pendingFailure(facts);
  if (failure === undefined) return undefined;
  return { ...emptyPlan(), wakeAtMs: failure.retryAtMs, podWaitsFor: describeRetry(failure) };
}

function pendingFailure({ podFailure, nowMs, volumes }: PodFacts): PodFailure | undefined {
  if (podFailure === undefined || isDue(podFailure, nowMs)) return undefined;
  // A volume may have waited for the very object that has changed since.
  const isOutdated =
    podFailure.step === 'mount-volumes' && (volumes.changedAtMs ?? -1) > podFailure.failedAtMs;
  return isOutdated ? undefined : podFailure;
}

function describeRetry({ step, message }: PodFailure): string {
  return `a retry of ${step}: ${message}`;
}

function withWakeUp(plan: PodPlan, wakeUps: readonly number[]): PodPlan {
  return wakeUps.length > 0 ? { ...plan, wakeAtMs: Math.min(...wakeUps) } : plan;
}

function emptyPlan(): PodPlan {
  return { actions: [], waiting: new Map(), completed: false, gone: false };
}
