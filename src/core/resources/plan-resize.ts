/**
 * The order in which the resources of a running pod change: limits of the
 * pod's cgroup go up before those of its containers and down after them, so
 * that no container ever has more than its pod; containers that give something
 * up go before those that get it. Memory before cpu.
 */
import type { ResourceRequirements } from '../api/pod.ts';
import type { ContainerResize, ResizePod } from '../model/actions.ts';
import type { CgroupValues } from './cgroup-values.ts';
import { type ResourceAmount, toAmount } from './resource-amount.ts';

/** What a cgroup has now; an absent limit is none, an absent usage is not known. */
export interface CgroupReading {
  readonly cpuShares?: number;
  readonly cpuQuotaUs?: number;
  readonly cpuPeriodUs?: number;
  readonly memoryLimitBytes?: number;
  readonly memoryUsageBytes?: number;
}

export type ResizeStep =
  | { readonly kind: 'pod'; readonly resource: 'cpu' | 'memory'; readonly values: CgroupValues }
  /** `resources` are what the container has after this step: the other resource is as before. */
  | {
      readonly kind: 'container';
      readonly resize: ContainerResize;
      readonly resources: ResourceRequirements;
    };

/** `pod` is what its cgroup has now, `wanted` what it should have; undefined where pods have no cgroup. */
export function planResize(
  action: Pick<ResizePod, 'resizes' | 'wholePod'>,
  pod: CgroupReading | undefined,
  wanted: CgroupValues,
): ResizeStep[] {
  const memory = toContainerSteps(action.resizes, 'memory');
  const cpu = toContainerSteps(action.resizes, 'cpu');
  return [
    ...(memory.length > 0 || action.wholePod ? frame(toMemoryChanges(pod, wanted), memory) : []),
    ...(cpu.length > 0 || action.wholePod ? frame(toCpuChanges(pod, wanted), cpu) : []),
  ];
}

/**
 * Why memory cannot be reduced now: more of it is in use. `usages` has the
 * memory that each container uses, as far as it is known.
 */
export function findMemoryProblem(
  action: Pick<ResizePod, 'resizes' | 'wholePod'>,
  pod: CgroupReading | undefined,
  wanted: CgroupValues,
  usages: ReadonlyMap<string, number>,
): string | undefined {
  const shrinking = findShrinkingLimits(action);
  const shrinks = shrinksPod(action, pod, wanted);
  const problems: string[] = [];
  if (shrinks && pod?.memoryUsageBytes === undefined) problems.push('missing pod memory usage');
  else if (shrinks && (pod?.memoryUsageBytes ?? 0) >= (wanted.memoryLimitBytes ?? 0))
    problems.push(
      `attempting to set pod memory limit (${wanted.memoryLimitBytes}) below current usage (${pod?.memoryUsageBytes})`,
    );
  for (const [name, limit] of shrinking) {
    const usage = usages.get(name);
    if (usage === undefined || usage < limit) continue;
    problems.push(
      `attempting to set container "${name}" memory limit (${limit}) below current usage (${usage})`,
    );
  }
  const [first, ...more] = problems;
  if (first === undefined) return undefined;
  return `cannot decrease memory limits: ${more.length === 0 ? first : `[${problems.join(', ')}]`}`;
}

/** Containers whose memory limit falls, or that get one, with the new limit. */
export function findShrinkingLimits({ resizes }: Pick<ResizePod, 'resizes'>): Map<string, number> {
  const shrinking = new Map<string, number>();
  for (const { container, from, to } of resizes) {
    const [before, after] = [toAmount(from).memoryLimit, toAmount(to).memoryLimit];
    if (after !== 0 && (before === 0 || after < before)) shrinking.set(container.name, after);
  }
  return shrinking;
}

function shrinksPod(
  { resizes, wholePod }: Pick<ResizePod, 'resizes' | 'wholePod'>,
  pod: CgroupReading | undefined,
  { memoryLimitBytes }: CgroupValues,
): boolean {
  if (pod === undefined || memoryLimitBytes === undefined) return false;
  if (!wholePod && toContainerSteps(resizes, 'memory').length === 0) return false;
  return memoryLimitBytes < (pod.memoryLimitBytes ?? Number.POSITIVE_INFINITY);
}

interface PodChanges {
  readonly before: readonly ResizeStep[];
  readonly after: readonly ResizeStep[];
}

function frame({ before, after }: PodChanges, containers: readonly ResizeStep[]): ResizeStep[] {
  return [...before, ...containers, ...after];
}

/** A limit that is no longer wanted stays: limits cannot be removed in place. */
function toMemoryChanges(pod: CgroupReading | undefined, { memoryLimitBytes }: CgroupValues): PodChanges {
  if (pod === undefined || memoryLimitBytes === undefined) return { before: [], after: [] };
  const now = pod.memoryLimitBytes ?? Number.POSITIVE_INFINITY;
  const step: ResizeStep = { kind: 'pod', resource: 'memory', values: { memoryLimitBytes } };
  return { before: memoryLimitBytes > now ? [step] : [], after: memoryLimitBytes < now ? [step] : [] };
}

/** Up: the limit before the request; down: the request before the limit. */
function toCpuChanges(pod: CgroupReading | undefined, wanted: CgroupValues): PodChanges {
  if (pod === undefined) return { before: [], after: [] };
  const { cpuShares, cpuQuotaUs, cpuPeriodUs } = wanted;
  const limit: ResizeStep[] =
    cpuQuotaUs === undefined
      ? []
      : [
          {
            kind: 'pod',
            resource: 'cpu',
            values: { cpuQuotaUs, ...(cpuPeriodUs !== undefined && { cpuPeriodUs }) },
          },
        ];
  const request: ResizeStep[] =
    cpuShares === undefined ? [] : [{ kind: 'pod', resource: 'cpu', values: { cpuShares } }];
  const quotaNow = toShare(pod.cpuQuotaUs, pod.cpuPeriodUs);
  const quota = toShare(cpuQuotaUs, cpuPeriodUs ?? pod.cpuPeriodUs);
  const sharesNow = pod.cpuShares ?? 0;
  const shares = cpuShares ?? sharesNow;
  return {
    before: [...(quota > quotaNow ? limit : []), ...(shares > sharesNow ? request : [])],
    after: [...(shares < sharesNow ? request : []), ...(quota < quotaNow ? limit : [])],
  };
}

/** Cores that a quota allows; no quota is no bound. */
function toShare(quotaUs: number | undefined, periodUs = 100_000): number {
  return quotaUs === undefined || quotaUs <= 0 ? Number.POSITIVE_INFINITY : quotaUs / periodUs;
}

function toContainerSteps(resizes: readonly ContainerResize[], resource: 'cpu' | 'memory'): ResizeStep[] {
  const changes = resizes
    .map((resize) => ({ resize, growth: growthOf(toAmount(resize.from), toAmount(resize.to), resource) }))
    .filter(({ growth }) => growth !== 0);
  const falling = changes.filter(({ growth }) => growth < 0);
  const rising = changes.filter(({ growth }) => growth > 0);
  return [...falling, ...rising].map(({ resize }) => ({
    kind: 'container',
    resize,
    // Memory went first, so its new value is in force when the cpu changes.
    resources: resource === 'memory' ? mix(resize.to, resize.from) : resize.to,
  }));
}

/** Of the limit, or where that stays of the request. */
function growthOf(from: ResourceAmount, to: ResourceAmount, resource: 'cpu' | 'memory'): number {
  return resource === 'memory'
    ? to.memoryLimit - from.memoryLimit || to.memoryRequest - from.memoryRequest
    : to.cpuLimit - from.cpuLimit || to.cpuRequest - from.cpuRequest;
}

/** Everything of `rest` but its cpu, which is that of `cpu`. */
function mix(rest: ResourceRequirements, cpu: ResourceRequirements): ResourceRequirements {
  const replace = (list: 'limits' | 'requests') => {
    const { cpu: _, ...others } = rest[list] ?? {};
    const own = cpu[list]?.['cpu'];
    return { ...others, ...(own !== undefined && { cpu: own }) };
  };
  return { ...rest, limits: replace('limits'), requests: replace('requests') };
}
