/**
 * The gate between a computed status and the published one: which changes are
 * illegal, which facts only grow, and whether anything is worth publishing.
 * A container that ended permanently never comes back and a terminal phase is
 * never left, whatever the runtime reports.
 */
import type { Container, Pod } from '../api/pod.ts';
import type { ContainerStatus, PodCondition, PodStatus } from '../api/pod-status.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { podPolicy, restartsAfterExit } from '../model/restart.ts';
import { isOwnCondition } from '../pod/own-conditions.ts';
import { hasRestartAllRule } from '../pod/restart-all.ts';
import { toApiTime } from './api-time.ts';
import { DISRUPTION_CONDITION, toTerminalFinding, withTransitionTime } from './conditions.ts';
import { OWN_FIELDS } from './own-fields.ts';
import { isTerminalPhase } from './phase.ts';

export type StatusUpdate =
  | { readonly kind: 'publish'; readonly status: PodStatus }
  /** Nothing a reader of the API would see has changed. */
  | { readonly kind: 'unchanged' }
  /** A container that ended permanently would come back; the whole update is dropped and logged. */
  | { readonly kind: 'illegal'; readonly why: string };

/**
 * Whether to publish a computed status, given the one published before (else
 * the API's). The status of a pod that is being deleted is always published:
 * each write may be the one that allows the API object to be deleted.
 */
export function decideStatusUpdate(
  pod: Pod,
  published: PodStatus | undefined,
  computed: PodStatus,
  nowMs: number,
): StatusUpdate {
  const old = published ?? pod.status;
  const why = findIllegalTransition(pod, old, computed);
  if (why !== undefined) return { kind: 'illegal', why };
  const status = withLastingFacts(pod, old, computed, nowMs);
  const forced = pod.metadata.deletionTimestamp !== undefined;
  if (!forced && published !== undefined && isSameStatus(published, status)) return { kind: 'unchanged' };
  return { kind: 'publish', status };
}

/** The first container that ended permanently and would come back; undefined when all is legal. */
export function findIllegalTransition(
  pod: Pod,
  old: PodStatus | undefined,
  next: PodStatus,
): string | undefined {
  if (old === undefined || podPolicy(pod) === 'Always' || hasRestartAllRule(pod)) return undefined;
  const init = initContainersOf(pod).filter((container) => !isSidecar(container));
  return (
    findRevived(pod, pod.spec.containers, old.containerStatuses, next.containerStatuses) ??
    findRevived(pod, init, old.initContainerStatuses, next.initContainerStatuses)
  );
}

function findRevived(
  pod: Pod,
  containers: readonly Container[],
  old: readonly ContainerStatus[] = [],
  next: readonly ContainerStatus[] = [],
): string | undefined {
  for (const container of containers) {
    const ended = old.find(({ name }) => name === container.name)?.state.terminated;
    const after = next.find(({ name }) => name === container.name);
    if (ended === undefined || after === undefined || after.state.terminated !== undefined) continue;
    if (mayRestart(pod, container, ended.exitCode)) continue;
    return `terminated container "${container.name}" attempted illegal transition to non-terminated state`;
  }
  return undefined;
}

function mayRestart(pod: Pod, container: Container, exitCode: number): boolean {
  if (exitCode !== 0 && podPolicy(pod) === 'OnFailure') return true;
  return container.restartPolicy !== undefined && restartsAfterExit(pod, container, exitCode);
}

/** Keeps the start time once it is set and never lets the observed generation fall. */
export function withLastingFacts(
  pod: Pod,
  old: PodStatus | undefined,
  status: PodStatus,
  nowMs: number,
): PodStatus {
  const generations = [old?.observedGeneration, pod.metadata.generation].filter((n) => n !== undefined);
  const observedGeneration = generations.length === 0 ? status.observedGeneration : Math.max(...generations);
  const startTime = old?.startTime ?? status.startTime ?? toApiTime(nowMs);
  if (status.observedGeneration === observedGeneration && status.startTime === startTime) return status;
  return { ...status, ...(observedGeneration !== undefined && { observedGeneration }), startTime };
}

/** A pod in a terminal phase is not ready, even if its last probe said so. */
export function withTerminalReadiness(status: PodStatus, nowMs: number): PodStatus {
  const { phase, conditions } = status;
  if (!isTerminalPhase(phase) || conditions === undefined) return status;
  const settled = conditions.map((condition): PodCondition => {
    const concerned = condition.type === 'Ready' || condition.type === 'ContainersReady';
    if (!concerned || condition.status !== 'True') return condition;
    const { message: _, ...rest } = condition;
    return withTransitionTime({ ...rest, ...toTerminalFinding(phase) }, status, toApiTime(nowMs));
  });
  return { ...status, conditions: settled };
}

const COMPARED = [...OWN_FIELDS, 'hostIPs', 'podIPs'] as const satisfies readonly (keyof PodStatus)[];

/**
 * True when publishing `b` after `a` would change nothing a reader sees: own and
 * shared conditions count by status, reason and message; those of others, and
 * fields the kubelet does not write, not at all.
 */
export function isSameStatus(a: PodStatus, b: PodStatus): boolean {
  return (
    COMPARED.every((key) => isSame(a[key], b[key])) &&
    hasConditions(a.conditions, b.conditions) &&
    hasConditions(b.conditions, a.conditions)
  );
}

/** True when each condition that counts in `a` is in `b` with the same meaning, in whatever place. */
function hasConditions(a: readonly PodCondition[] = [], b: readonly PodCondition[] = []): boolean {
  return a.every(({ type }) => {
    if (!isOwnCondition(type) && type !== DISRUPTION_CONDITION) return true;
    // Of two of the same type the last one counts.
    const [one, other] = [a, b].map((all) => all.findLast((condition) => condition.type === type));
    return (
      one?.status === other?.status &&
      (one?.reason ?? '') === (other?.reason ?? '') &&
      (one?.message ?? '') === (other?.message ?? '')
    );
  });
}

/** Deep equality in which an absent, null, empty-text or empty-list value are one: JSON leaves them out. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (isAbsent(a) && isAbsent(b))) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  for (const key of Object.keys(a)) if (!isSame(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key) && !isSame(a[key], b[key])) return false;
  return true;
}

function isAbsent(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
