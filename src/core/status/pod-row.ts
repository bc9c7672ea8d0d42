/**
 * One pod as a row of a table, in kubectl's words (`get pods`, the page): the
 * status is the most specific reason, the readiness counts what should run.
 */
import { renderHumanDuration } from '../../base/text/human-duration.ts';
import type { Pod } from '../api/pod.ts';
import { CONFIG_SEEN_ANNOTATION } from '../api/pod-identity.ts';
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';
import { initContainersOf, sidecarsOf } from '../model/pod-containers.ts';

/** With its newest status. */
export type RowPod = Pick<Pod, 'metadata' | 'spec' | 'status'>;

export interface PodRow {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
  readonly age: string;
}

/** The same as data; times are milliseconds since the epoch. */
export interface PodRowFacts {
  readonly readyCount: number;
  readonly containerCount: number;
  readonly status: string;
  readonly restartCount: number;
  /** The last end of a container that was restarted. */
  readonly lastEndMs: number | undefined;
  readonly bornMs: number | undefined;
}

/** `isEnding` for a pod that the agent ends although the API has not marked it. */
export function toPodRow(pod: RowPod, nowMs: number, isEnding = false): PodRow {
  const { readyCount, containerCount, status, restartCount, lastEndMs, bornMs } = toRowFacts(pod, isEnding);
  const ago = lastEndMs === undefined ? '' : ` (${renderHumanDuration(nowMs - lastEndMs)} ago)`;
  return {
    ready: `${readyCount}/${containerCount}`,
    status,
    restarts: restartCount === 0 ? '0' : `${restartCount}${ago}`,
    age: bornMs === undefined ? '<unknown>' : renderHumanDuration(nowMs - bornMs),
  };
}

export function toRowFacts(pod: RowPod, isEnding = false): PodRowFacts {
  const { containers } = pod.spec;
  const status = pod.status ?? {};
  const sidecars = new Set(sidecarsOf(pod).map(({ name }) => name));
  const initStatuses = status.initContainerStatuses ?? [];
  const mainStatuses = status.containerStatuses ?? [];
  const init = initReason(initStatuses, sidecars, initContainersOf(pod).length);
  const isInitialised = init === undefined || hasTrue(status, 'Initialized');
  const counted = [...initStatuses.filter(({ name }) => sidecars.has(name)), ...mainStatuses];
  const ready = counted.filter(({ ready: isReady, state }) => isReady && state.running !== undefined);
  const reason = isInitialised ? mainReason(status, mainStatuses) : init;
  return {
    readyCount: ready.length,
    containerCount: containers.length + sidecars.size,
    status: isTerminating(pod, isEnding) ? 'Terminating' : (reason ?? phaseOf(status)),
    ...toRestarts(isInitialised ? counted : initStatuses),
    bornMs: toBirth(pod),
  };
}

function phaseOf({ reason, phase }: PodStatus): string {
  return reason !== undefined && reason !== '' ? reason : (phase ?? 'Pending');
}

function isTerminating({ metadata, status }: RowPod, isEnding: boolean): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return !isOver && (isEnding || metadata.deletionTimestamp !== undefined);
}

/** Undefined when every init container is done. */
function initReason(
  statuses: readonly ContainerStatus[],
  sidecars: ReadonlySet<string>,
  total: number,
): string | undefined {
  for (const [index, { name, state, started }] of statuses.entries()) {
    if (state.terminated?.exitCode === 0 || (sidecars.has(name) && started === true)) continue;
    if (state.terminated !== undefined) return `Init:${exitReason(state.terminated)}`;
    const waiting = state.waiting?.reason ?? '';
    return waiting === '' || waiting === 'PodInitializing' ? `Init:${index}/${total}` : `Init:${waiting}`;
  }
  return undefined;
}

/** The first container with a reason decides. */
function mainReason(status: PodStatus, statuses: readonly ContainerStatus[]): string | undefined {
  const reasons = statuses.flatMap(({ state }) => {
    const waiting = state.waiting?.reason ?? '';
    if (waiting !== '') return [waiting];
    return state.terminated === undefined ? [] : [exitReason(state.terminated)];
  });
  const [reason] = reasons;
  const runs = statuses.some(({ ready, state }) => ready && state.running !== undefined);
  if (reason !== 'Completed' || !runs) return reason;
  return hasTrue(status, 'Ready') ? 'Running' : 'NotReady';
}

function exitReason({
  reason,
  signal,
  exitCode,
}: NonNullable<ContainerStatus['state']['terminated']>): string {
  if (reason !== undefined && reason !== '') return reason;
  return signal === undefined || signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

function toRestarts(statuses: readonly ContainerStatus[]): Pick<PodRowFacts, 'restartCount' | 'lastEndMs'> {
  const restartCount = statuses.reduce((sum, status) => sum + status.restartCount, 0);
  const ends = statuses
    .map(({ lastState }) => Date.parse(lastState.terminated?.finishedAt ?? ''))
    .filter((atMs) => !Number.isNaN(atMs));
  return { restartCount, lastEndMs: ends.length === 0 ? undefined : Math.max(...ends) };
}

/**
 * A static pod without an API server has no creation time; it is as old as the first that is known of it, so that
 * its age does not fall when it starts a moment after it was seen, or is seen again by another run of the agent.
 */
function toBirth({ metadata, status }: RowPod): number | undefined {
  const seen = metadata.annotations?.[CONFIG_SEEN_ANNOTATION];
  const times =
    metadata.creationTimestamp === undefined ? [status?.startTime, seen] : [metadata.creationTimestamp];
  const known = times.map((time) => Date.parse(time ?? '')).filter((atMs) => !Number.isNaN(atMs));
  return known.length === 0 ? undefined : Math.min(...known);
}

function hasTrue({ conditions }: PodStatus, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}
