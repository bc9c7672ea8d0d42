/**
 * The life of a pod as steps, and the rules of what is kept of it: steps that took time, and marks that did not.
 * Pure; who records and when stands in agent/timeline.
 *
 * Invariant: at most FIRST_STEPS + LAST_STEPS are kept, so that a crash loop neither grows nor pushes out the start.
 */
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';

export const FIRST_STEPS = 24;
export const LAST_STEPS = 24;

export interface TimelineStep {
  /** Such as `sandbox`, `image` or `ready`. */
  readonly what: string;
  /** The container or the image it is about. */
  readonly about?: string;
  readonly startMs: number;
  /** Undefined while it is under way; that of a mark is its start. */
  readonly endMs?: number;
  /** Why it failed. */
  readonly problem?: string;
  /** How many tries in a row failed like this. */
  readonly tries?: number;
}

/** What is worth a mark between two statuses of a pod. The first status of all is only what others are compared with. */
export function toMarks(before: PodStatus | undefined, after: PodStatus, atMs: number): TimelineStep[] {
  if (before === undefined) return [];
  const ended = containersOf(after).flatMap((status) => toEndMark(before, status, atMs));
  const [was, is] = [isReady(before), isReady(after)];
  return was === is ? ended : [...ended, toMark(is ? 'ready' : 'not ready', atMs)];
}

export function toMark(what: string, atMs: number, about?: string, problem?: string): TimelineStep {
  return {
    what,
    startMs: atMs,
    endMs: atMs,
    ...(about === undefined ? {} : { about }),
    ...(problem === undefined ? {} : { problem }),
  };
}

function toEndMark(before: PodStatus, status: ContainerStatus, atMs: number): TimelineStep[] {
  const end = status.state.terminated ?? status.lastState.terminated;
  if (end === undefined) return [];
  const known = containersOf(before).find(({ name }) => name === status.name);
  const knownEnd = known?.state.terminated ?? known?.lastState.terminated;
  if (end.containerID === knownEnd?.containerID) return [];
  const { exitCode, reason = 'Error' } = end;
  return [
    toMark('ended', atMs, status.name, exitCode === 0 ? undefined : `${reason}, exit code ${exitCode}`),
  ];
}

function containersOf({
  initContainerStatuses = [],
  containerStatuses = [],
}: PodStatus): readonly ContainerStatus[] {
  return [...initContainerStatuses, ...containerStatuses];
}

function isReady({ conditions = [] }: PodStatus): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
