/** When a pod's containers started, read from its status. Pure. */
import type { Pod } from '../../../core/api/pod.ts';
import type { ContainerStatus, PodStatus } from '../../../core/api/pod-status.ts';

export interface StartTimes {
  /** The first of all containers; undefined when none has started. */
  readonly firstMs: number | undefined;
  /** Every container has started at least once. */
  readonly hasAll: boolean;
  /** From the start of the first init container to the end of the last. */
  readonly initMs: number;
}

export function readStartTimes(status: PodStatus): StartTimes {
  const containers = (status.containerStatuses ?? []).map(startOf);
  const inits = (status.initContainerStatuses ?? []).filter(({ state }) => state?.terminated !== undefined);
  const begun = inits.map(startOf).filter((ms) => ms !== undefined);
  const done = inits
    .map(({ state }) => parse(state?.terminated?.finishedAt))
    .filter((ms) => ms !== undefined);
  const initMs = begun.length === 0 || done.length === 0 ? 0 : Math.max(...done) - Math.min(...begun);
  const all = [...begun, ...containers.filter((ms) => ms !== undefined)];
  return {
    firstMs: all.length === 0 ? undefined : Math.min(...all),
    hasAll: containers.length > 0 && !containers.includes(undefined),
    initMs,
  };
}

/** Volumes that another component provides, or a pod that was unschedulable at first, say nothing about this node. */
export function isComparableStart({ spec, status }: Pod): boolean {
  const unschedulable = status?.conditions?.some(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'False',
  );
  const isLocal = (volume: NonNullable<Pod['spec']['volumes']>[number]): boolean =>
    [volume.secret, volume.configMap, volume.downwardAPI, volume.emptyDir, volume.projected].some(
      (source) => source !== undefined,
    );
  return unschedulable !== true && (spec.volumes ?? []).every(isLocal);
}

function startOf({ state, lastState }: ContainerStatus): number | undefined {
  const { running, terminated } = state ?? {};
  return parse(running?.startedAt ?? terminated?.startedAt ?? lastState?.terminated?.startedAt);
}

function parse(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
