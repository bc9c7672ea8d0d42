/** When a pod's containers started, read from its status. Pure. */
import type { ContainerStatus, PodStatus } from '../../core/api/pod-status.ts';

export interface StartTimes {
  /** The first container of the pod. */
  readonly startedAtMs: number;
  /** From the start of the first init container to the end of the last. */
  readonly initMs: number;
}

/** Undefined while a container has not started yet. */
export function readStartTimes(status: PodStatus): StartTimes | undefined {
  const containers = (status.containerStatuses ?? []).map(startOf);
  if (containers.length === 0 || containers.includes(undefined)) return undefined;
  const inits = (status.initContainerStatuses ?? []).filter(({ state }) => state?.terminated !== undefined);
  const begun = inits.map(startOf).filter((ms) => ms !== undefined);
  const done = inits
    .map(({ state }) => parse(state?.terminated?.finishedAt))
    .filter((ms) => ms !== undefined);
  const initMs = begun.length === 0 || done.length === 0 ? 0 : Math.max(...done) - Math.min(...begun);
  const all = [...begun, ...containers.filter((ms) => ms !== undefined)];
  return { startedAtMs: Math.min(...all), initMs };
}

function startOf({ state, lastState }: ContainerStatus): number | undefined {
  const { running, terminated } = state ?? {};
  return parse(running?.startedAt ?? terminated?.startedAt ?? lastState?.terminated?.startedAt);
}

function parse(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
