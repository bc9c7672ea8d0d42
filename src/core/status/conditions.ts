/**
 * The conditions of a pod status: the kubelet's own, recomputed each time,
 * beside those of others, which pass through untouched. A condition's
 * lastTransitionTime changes only when its status does.
 */
import type { Pod } from '../api/pod.ts';
import type { ContainerStatus, PodCondition, PodPhase, PodStatus } from '../api/pod-status.ts';
import type { ObservedPod } from '../model/observed-pod.ts';
import { initContainersOf, isSidecar, sidecarsOf } from '../model/pod-containers.ts';
import { isOwnCondition, RESIZE_CONDITIONS } from '../pod/own-conditions.ts';
import { hasInstances, hasRestartAllRule, RESTARTING_ALL_CONDITION } from '../pod/restart-all.ts';
import { decideSandbox } from '../pod/sandbox-need.ts';
import { toApiTime } from './api-time.ts';
import type { ContainerStatuses } from './container-statuses.ts';
import { isTerminalPhase } from './phase.ts';

/** Set by the kubelet or the controller that ends a pod early. */
export const DISRUPTION_CONDITION = 'DisruptionTarget';

/** A condition before generation and time are added. */
type Finding = Pick<PodCondition, 'status' | 'reason' | 'message'>;

export interface ConditionFacts {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly old: PodStatus | undefined;
  readonly phase: PodPhase;
  /** Undefined for a pod without any record (refused before it ran). */
  readonly statuses: Pick<ContainerStatuses, 'init' | 'regular'> | undefined;
  readonly restartingAll: boolean;
  readonly ended: boolean;
  readonly nowMs: number;
  /** PodResizePending, PodResizeInProgress, as the resize work left them. */
  readonly resize?: readonly PodCondition[];
  /** Conditions added by an early end. */
  readonly added?: readonly PodCondition[];
}

/** All conditions, in the order they are published. */
export function computeConditions(facts: ConditionFacts): PodCondition[] {
  const { pod, old, ended, nowMs } = facts;
  const now = toApiTime(nowMs);
  const disruption = old?.conditions?.find(({ type }) => type === DISRUPTION_CONDITION);
  const carried = new Map<string, PodCondition>();
  for (const condition of pod.status?.conditions ?? []) {
    if (!isOwnCondition(condition.type)) carried.set(condition.type, condition);
  }
  if (disruption !== undefined) carried.set(DISRUPTION_CONDITION, disruption);
  for (const condition of facts.added ?? []) {
    carried.set(condition.type, withTransitionTime(condition, old, now));
  }
  const resize = ended
    ? []
    : (facts.resize ?? []).map((condition) => withTransitionTime(condition, old, now));
  const own = ownFindings(facts).map(([type, finding]) =>
    withTransitionTime({ type, ...finding, ...generationOf(pod, type) }, old, now),
  );
  return [...carried.values(), ...resize, ...own];
}

function ownFindings(facts: ConditionFacts): readonly (readonly [type: string, finding: Finding])[] {
  const ready = toContainersReady(facts);
  const findings: (readonly [string, Finding])[] = [
    ['PodReadyToStartContainers', toReadyToStart(facts)],
    ['Initialized', toInitialized(facts)],
    ['Ready', toReady(facts, ready)],
    ['ContainersReady', ready],
    ['PodScheduled', { status: 'True' }],
  ];
  if (hasRestartAllRule(facts.pod)) findings.push([RESTARTING_ALL_CONDITION, toRestartingAll(facts)]);
  return findings;
}

function toReadyToStart({ pod, observed }: ConditionFacts): Finding {
  return { status: decideSandbox(pod, observed).kind === 'keep' ? 'True' : 'False' };
}

function toInitialized({ pod, old, phase, statuses }: ConditionFacts): Finding {
  const init = initContainersOf(pod);
  const known = statuses ?? (init.length === 0 ? { init: [], regular: [] } : undefined);
  if (known === undefined) return { status: 'False', reason: 'UnknownContainerStatuses' };
  const unknown = init.filter(({ name }) => !hasName(known.init, name));
  const incomplete = init.filter((container) => {
    const status = find(known.init, container.name);
    return status !== undefined && (isSidecar(container) ? status.started !== true : !status.ready);
  });
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'True', reason: 'PodCompleted' };
  const regularStarted = known.regular.some(
    ({ state }) => state.running !== undefined || state.terminated !== undefined,
  );
  // Once initialised, always so: a restart of the whole pod in place runs init containers again.
  if (regularStarted || wasTrue(old, 'Initialized')) return { status: 'True' };
  return complaint('ContainersNotInitialized', unknown, 'incomplete', incomplete) ?? { status: 'True' };
}

function toContainersReady({ pod, phase, statuses }: ConditionFacts): Finding {
  if (statuses === undefined) return { status: 'False', reason: 'UnknownContainerStatuses' };
  const counted = [...sidecarsOf(pod), ...pod.spec.containers];
  const all = [...statuses.init, ...statuses.regular];
  const unknown = counted.filter(({ name }) => !hasName(all, name));
  const unready = counted.filter(({ name }) => find(all, name)?.ready === false);
  if (phase === 'Succeeded' && unknown.length === 0) return toTerminalFinding(phase);
  if (phase === 'Failed') return toTerminalFinding(phase);
  return complaint('ContainersNotReady', unknown, 'unready', unready) ?? { status: 'True' };
}

function toReady({ pod }: ConditionFacts, containersReady: Finding): Finding {
  if (containersReady.status !== 'True') return containersReady;
  const problems = (pod.spec.readinessGates ?? []).flatMap(({ conditionType: gate }) => {
    const condition = pod.status?.conditions?.find(({ type }) => type === gate);
    if (condition === undefined) {
      return [`corresponding condition of pod readiness gate "${gate}" does not exist.`];
    }
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${gate}" is not "True", but ${condition.status}`];
  });
  if (problems.length === 0) return { status: 'True' };
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}

function toRestartingAll({ pod, observed, phase, restartingAll }: ConditionFacts): Finding {
  if (isTerminalPhase(phase)) return toTerminalFinding(phase);
  if (!restartingAll || !hasInstances(pod, observed)) return { status: 'False' };
  return {
    status: 'True',
    reason: 'RestartAllContainersStarted',
    message: 'container exited with restart policy rule',
  };
}

/** Why a pod in a terminal phase is not ready. */
export function toTerminalFinding(phase: 'Succeeded' | 'Failed'): Finding {
  return { status: 'False', reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' };
}

function complaint(
  reason: string,
  unknown: readonly { readonly name: string }[],
  adjective: string,
  others: readonly { readonly name: string }[],
): Finding | undefined {
  const parts: string[] = [];
  if (unknown.length > 0) parts.push(`containers with unknown status: ${nameList(unknown)}`);
  if (others.length > 0) parts.push(`containers with ${adjective} status: ${nameList(others)}`);
  return parts.length === 0 ? undefined : { status: 'False', reason, message: parts.join(', ') };
}

/**
 * The condition with the time of its last transition. Resize conditions encode
 * their stage in the reason, so for them a new reason is a transition too.
 */
export function withTransitionTime(
  condition: PodCondition,
  old: PodStatus | undefined,
  now: string,
): PodCondition {
  const before = old?.conditions?.find(({ type }) => type === condition.type);
  const byReason = RESIZE_CONDITIONS.has(condition.type);
  const unchanged =
    before?.status === condition.status && (!byReason || (before.reason ?? '') === (condition.reason ?? ''));
  const lastTransitionTime = (unchanged ? before.lastTransitionTime : undefined) ?? now;
  return { ...condition, lastTransitionTime };
}

function generationOf(pod: Pod, type: string): Pick<PodCondition, 'observedGeneration'> {
  const { generation } = pod.metadata;
  if (generation === undefined || type === RESTARTING_ALL_CONDITION) return {};
  return { observedGeneration: generation };
}

function wasTrue(old: PodStatus | undefined, type: string): boolean {
  return old?.conditions?.some((c) => c.type === type && c.status === 'True') === true;
}

function find(statuses: readonly ContainerStatus[], wanted: string): ContainerStatus | undefined {
  return statuses.find(({ name }) => name === wanted);
}

function hasName(statuses: readonly ContainerStatus[], wanted: string): boolean {
  return find(statuses, wanted) !== undefined;
}

function nameList(items: readonly { readonly name: string }[]): string {
  return `[${items.map(({ name }) => name).join(' ')}]`;
}
