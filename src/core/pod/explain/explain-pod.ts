/**
 * One sentence about a pod: what it waits for, since when, what was tried and
 * when the next attempt is due. It reads the plan its worker acts on and the
 * facts that plan was made from, so it always matches what is done.
 *
 *   held back ─► the runtime is away ─► terminating ─► a step that takes long ─► the pod as a whole
 *   ─► the first container with a problem ─► ready
 */
import type { ContainerStatus, PodStatus } from '../../api/pod-status.ts';
import { type PodMember, podMembers } from '../../model/pod-containers.ts';
import { explainContainer } from './explain-container.ts';
import { explainEnd } from './explain-end.ts';
import type { ExplainFacts } from './explain-facts.ts';
import { ago, type Explanation, type ExplanationParts, renderNames, toExplanation } from './explanation.ts';

/** A step that has just begun explains nothing: the previous reason still holds. */
const STEP_MS = 1_000;
/** A ready pod also has a worker; only a hanging step is worth reporting then. */
const HANGS_MS = 10_000;
/** Longer than volumes of a pod wait between two tries. */
const UPDATE_RETRY_MS = 150_000;

export function explainPod(facts: ExplainFacts): Explanation {
  const parts =
    explainHeld(facts) ??
    explainAbsence(facts) ??
    explainEnd(facts) ??
    explainActivity(facts, isReady(facts.status) ? HANGS_MS : STEP_MS) ??
    explainReady(facts) ??
    explainSetback(facts) ??
    explainPlan(facts) ??
    explainContainers(facts) ??
    explainGates(facts) ??
    explainActivity(facts, 0) ??
    unexplained(facts);
  const since = parts.sinceMs ?? notReadySince(facts);
  return toExplanation({ ...parts, ...(since === undefined ? {} : { sinceMs: since }) }, facts.nowMs);
}

function isReady(status: PodStatus | undefined): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

function explainHeld({ held, pod }: ExplainFacts): ExplanationParts | undefined {
  if (held === undefined) return undefined;
  if (held === 'runtime-unread')
    return {
      state: 'waiting',
      waitsFor: 'the first answer of the container runtime',
      goesOn: 'it starts then',
    };
  if (held === 'undecided')
    return {
      state: 'waiting',
      waitsFor: 'the API server to say which labels the node has now',
      goesOn: 'it starts if they are those it asks for',
    };
  const { name } = pod.metadata;
  const waitsFor = `the pod of the same name before it (${JSON.stringify(name)}) to end`;
  return { state: 'waiting', waitsFor, goesOn: 'it starts when nothing of that one is left' };
}

/** Nothing can be done for the pod then, and what is known of it may no longer be true. */
function explainAbsence(facts: ExplainFacts): ExplanationParts | undefined {
  const { absence, status } = facts;
  const end = explainEnd(facts);
  if (absence === undefined || end?.state === 'ended' || end?.state === 'rejected') return undefined;
  const { sinceMs, why: tried } = absence;
  const seen = isReady(status) ? 'ready' : `as ${status?.phase ?? 'Pending'}, not ready`;
  const state = end === undefined ? 'waiting' : 'ending';
  const goesOn = `the pod was last seen ${seen}`;
  return { state, waitsFor: 'the container runtime', sinceMs, tried, goesOn };
}

function explainReady({ status, events, nowMs }: ExplainFacts): ExplanationParts | undefined {
  if (!isReady(status)) return undefined;
  const readyMs = Date.parse(
    status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '',
  );
  // It is tried again and again: a failure that was not repeated in that time is mended.
  const failed = events.findLast(
    ({ reason, atMs }) => reason === 'FailedMount' && atMs > readyMs && nowMs - atMs < UPDATE_RETRY_MS,
  );
  if (failed === undefined) return { state: 'ready', goesOn: 'nothing is waited for' };
  const tried = `an update of its volumes failed ${ago(failed.atMs, nowMs)}: ${failed.message}`;
  return { state: 'ready', tried, goesOn: 'its containers see the content from before; it is tried again' };
}

function explainSetback({ setback, nowMs }: ExplainFacts): ExplanationParts | undefined {
  if (setback === undefined) return undefined;
  const { message, atMs, retryAtMs } = setback;
  const tried = `the last look at the pod failed ${ago(atMs, nowMs)}: ${message}`;
  return { state: 'waiting', waitsFor: 'the container runtime', tried, nextTryAtMs: retryAtMs };
}

function explainActivity(facts: ExplainFacts, minAgeMs: number): ExplanationParts | undefined {
  const { activity, nowMs, events } = facts;
  if (activity === undefined || nowMs - activity.sinceMs < minAgeMs) return undefined;
  const { step, sinceMs, action, queuedBehind, pulls, pullQueued = false } = activity;
  const quoted = JSON.stringify(step);
  if (queuedBehind !== undefined) {
    const ahead = queuedBehind === 0 ? 'it is the next' : `${queuedBehind} before it`;
    return {
      state: 'waiting',
      waitsFor: `its turn to ${step}`,
      sinceMs,
      tried: `few pods start at a time, ${ahead}`,
    };
  }
  if (action?.kind === 'start-container') {
    const container = JSON.stringify(action.container.name);
    if (pulls !== undefined)
      return {
        state: 'waiting',
        waitsFor: `the pull of image ${JSON.stringify(pulls)} for container ${container}`,
        sinceMs,
        ...(pullQueued ? { tried: 'few images are pulled at a time, and others came first' } : {}),
      };
    const runs = events.some(({ reason, atMs }) => reason === 'Started' && atMs >= sinceMs);
    if (runs && action.container.lifecycle?.postStart !== undefined)
      return { state: 'waiting', waitsFor: `the postStart hook of container ${container}`, sinceMs };
  }
  if (nowMs - sinceMs < HANGS_MS) return { state: 'working', waitsFor: quoted, sinceMs };
  const tried = 'it is under way and has not come back; other pods go on meanwhile';
  return { state: 'waiting', waitsFor: `the step ${quoted}`, sinceMs, tried };
}

const POD_STEPS: Readonly<Record<string, string>> = {
  'mount-volumes': 'its volumes',
  'create-sandbox': 'its sandbox',
  'stop-containers': 'its containers to stop',
  'stop-sandbox': 'its old sandbox to stop',
};

/** What holds back the pod as a whole: its sandbox, its volumes, the network. */
function explainPlan({ last, nowMs }: ExplainFacts): ExplanationParts | undefined {
  const waitsFor = last?.plan.podWaitsFor;
  if (last === undefined || waitsFor === undefined) return undefined;
  const failure = last.facts.podFailure;
  if (failure === undefined || !waitsFor.includes(failure.step))
    return { state: 'waiting', waitsFor, goesOn: 'it goes on as soon as that changes' };
  return {
    state: 'waiting',
    waitsFor: POD_STEPS[failure.step] ?? `a retry of ${failure.step}`,
    tried: `${failure.step} failed ${ago(failure.failedAtMs, nowMs)}: ${failure.message}`,
    nextTryAtMs: failure.retryAtMs,
  };
}

/** The first in start order; the others that are not ready are named only. */
function explainContainers(facts: ExplainFacts): ExplanationParts | undefined {
  if (facts.last === undefined) return undefined;
  const statuses = toStatuses(facts.status);
  const members = podMembers(facts.pod).filter(({ role }) => role !== 'ephemeral');
  const found = members.flatMap((member) => {
    const parts = explainContainer(facts, member, statuses.get(member.container.name));
    return parts === undefined ? [] : [{ member, parts }];
  });
  // Before initialisation is over the others only wait for it.
  const [first, ...rest] = found;
  if (first === undefined) return undefined;
  const others = isMain(first.member) ? rest.map(({ member }) => member.container.name) : [];
  if (others.length === 0) return first.parts;
  const also = `also not ready: ${renderNames(others)}`;
  const { tried } = first.parts;
  return { ...first.parts, tried: tried === undefined ? also : `${tried}; ${also}` };
}

function isMain({ role }: PodMember): boolean {
  return role === 'regular';
}

function explainGates({ pod, status }: ExplainFacts): ExplanationParts | undefined {
  const isTrue = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
  const missing = (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const open = missing.filter((type) => !isTrue(type));
  if (open.length === 0) return undefined;
  const waitsFor = `the readiness gate ${renderNames(open)}`;
  return { state: 'waiting', waitsFor, goesOn: 'a controller has to set the condition' };
}

function unexplained({ last }: ExplainFacts): ExplanationParts {
  if (last === undefined) return { state: 'waiting', waitsFor: 'the first look at what runs of it' };
  return { state: 'working', waitsFor: 'its next step' };
}

/** Since when the pod is not ready, where nothing more precise is known. */
function notReadySince({ status }: ExplainFacts): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const atMs = Date.parse(ready?.lastTransitionTime ?? status?.startTime ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

function toStatuses(status: PodStatus | undefined): ReadonlyMap<string, ContainerStatus> {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return new Map(all.map((entry) => [entry.name, entry]));
}
