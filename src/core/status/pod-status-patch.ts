/**
 * What is written to the API server about a pod: the published status merged
 * with what the API object holds of others, and the difference between that
 * and the API's status as a strategic merge patch.
 */
import type { PodCondition, PodStatus } from '../api/pod-status.ts';
import { isOwnCondition } from '../pod/own-conditions.ts';
import { toApiTime } from './api-time.ts';
import { DISRUPTION_CONDITION, withTransitionTime } from './conditions.ts';
import { OWN_FIELDS } from './own-fields.ts';
import { isTerminalPhase } from './phase.ts';
import { withTerminalReadiness } from './status-guards.ts';
import { diffObjects, isEmptyJson, isSameJson, type PatchObject } from './strategic-patch.ts';

/**
 * The status to write to the API. Conditions of others stay; a phase that
 * would turn terminal waits until nothing of the pod runs any more, and one
 * that is terminal in the API is never left, regardless of its writer. Except
 * in a mirror: the static pod that a shutdown of the node ended runs again after
 * it, under the same UID, and its mirror only shows what it does.
 */
export function mergeApiStatus(
  api: PodStatus,
  published: PodStatus,
  mayRun: boolean,
  nowMs: number,
  isMirror = false,
): PodStatus {
  const turnsTerminal = isTerminalPhase(published.phase) && !isTerminalPhase(api.phase);
  // Controllers also write why a pod is ended early, and before us: theirs is replaced only when the pod has ended.
  const isDisrupted = published.conditions?.some(({ type }) => type === DISRUPTION_CONDITION);
  const ownsDisruption = turnsTerminal && !mayRun && isDisrupted === true;
  const foreign = (api.conditions ?? []).filter(
    ({ type }) => !isOwnCondition(type) && !(ownsDisruption && type === DISRUPTION_CONDITION),
  );
  const own = (published.conditions ?? []).filter(
    ({ type }) => isOwnCondition(type) || (ownsDisruption && type === DISRUPTION_CONDITION),
  );
  const merged: PodStatus = { ...published, conditions: [...foreign, ...own] };
  if (turnsTerminal && mayRun) return withVerdictOf(api, merged);
  const leavesTerminal = !isMirror && isTerminalPhase(api.phase) && !isTerminalPhase(published.phase);
  return settleReadiness(api, leavesTerminal ? withVerdictOf(api, merged) : merged, nowMs);
}

/** A condition turned here has the time it turned in the API, or each merge would be a change. */
function settleReadiness(api: PodStatus, merged: PodStatus, nowMs: number): PodStatus {
  const settled = withTerminalReadiness(merged, nowMs);
  if (settled === merged) return merged;
  const conditions = (settled.conditions ?? []).map((condition, index) =>
    condition === merged.conditions?.[index]
      ? condition
      : withTransitionTime(condition, api, toApiTime(nowMs)),
  );
  return { ...settled, conditions };
}

function withVerdictOf(
  { phase = 'Pending', reason, message }: PodStatus,
  { reason: _reason, message: _message, ...rest }: PodStatus,
): PodStatus {
  return {
    ...rest,
    phase,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Everything else is left as it is. A nomination is over once the pod is here. */
const FIELDS = ['nominatedNodeName', ...OWN_FIELDS] as const satisfies readonly (keyof PodStatus)[];

/** Undefined when there is nothing to write. The UID makes the server refuse a later pod of the same name. */
export function computePodStatusPatch(uid: string, api: PodStatus, next: PodStatus): PatchObject | undefined {
  const pick = (status: PodStatus): PatchObject =>
    Object.fromEntries(FIELDS.map((field) => [field, status[field]]));
  const changes = {
    ...diffObjects(pick(api), pick(next)),
    ...diffConditions(api.conditions ?? [], next.conditions ?? []),
    ...diffIps('hostIPs', api.hostIPs ?? [], next.hostIPs ?? []),
    ...diffIps('podIPs', api.podIPs ?? [], next.podIPs ?? []),
  };
  return isEmptyJson(changes) ? undefined : { metadata: { uid }, status: changes };
}

/** By type, each with its changed fields, null for removed ones; those the kubelet no longer has are removed. */
function diffConditions(api: readonly PodCondition[], next: readonly PodCondition[]): PatchObject {
  const changed = next.flatMap((condition): PatchObject[] => {
    const old = api.find(({ type }) => type === condition.type);
    const changes = diffObjects({ ...old }, { ...condition });
    return isEmptyJson(changes) ? [] : [{ ...changes, type: condition.type }];
  });
  const gone = api.filter(({ type }) => !next.some((condition) => condition.type === type));
  if (changed.length + gone.length === 0) return {};
  return {
    conditions: [...changed, ...gone.map(({ type }) => ({ type, $patch: 'delete' }))],
    '$setElementOrder/conditions': next.map(({ type }) => ({ type })),
  };
}

function diffIps(
  field: string,
  api: readonly { readonly ip: string }[],
  next: readonly { readonly ip: string }[],
): PatchObject {
  if (isSameJson(api, next)) return {};
  const gone = api.filter(({ ip }) => !next.some((address) => address.ip === ip));
  const added = next.filter(({ ip }) => !api.some((address) => address.ip === ip));
  return {
    [field]: [...added, ...gone.map(({ ip }) => ({ ip, $patch: 'delete' }))],
    [`$setElementOrder/${field}`]: next.map(({ ip }) => ({ ip })),
  };
}
