/**
 * What a container status says about resources: the allocated values, and for
 * a running container those that are really in force. The runtime reports
 * cgroup settings, which are coarser than quantities, so an equal or too small
 * value is reported as allocated; where it says nothing, and of the memory
 * request it never does, the record of what was put in force stands in.
 */
import type { ResourceList, ResourceRequirements } from '../api/pod.ts';
import type { ContainerStatus } from '../api/pod-status.ts';
import {
  compareQuantities,
  formatQuantity,
  milliQuantity,
  type Quantity,
  quantityToMilli,
  tryParseQuantity,
  wholeQuantity,
} from '../api/quantity.ts';
import type { LinuxResources, ObservedContainer } from '../model/observed-pod.ts';

/** At or below these a cgroup does not distinguish values. */
const MIN_CPU_REQUEST_MILLI = 2;
const MIN_CPU_LIMIT_MILLI = 10;

export type StatusResources = Pick<ContainerStatus, 'resources' | 'allocatedResources'>;

/** The resource fields of a container that has an instance. */
export function computeStatusResources(
  allocated: ResourceRequirements | undefined,
  instance: ObservedContainer,
  actuated?: ResourceRequirements,
): StatusResources {
  const isRunning = instance.state === 'running';
  const actual = isRunning ? instance.details?.resources : undefined;
  const record = isRunning ? actuated : undefined;
  const { requests, limits } = allocated ?? {};
  return {
    ...(isEmpty(requests) ? {} : { allocatedResources: requests }),
    resources: {
      ...(isEmpty(limits) ? {} : { limits: toLimits(limits, actual, record) }),
      ...(isEmpty(requests) ? {} : { requests: toRequests(requests, actual, record) }),
    },
  };
}

function toLimits(
  limits: ResourceList,
  actual: LinuxResources | undefined,
  record: ResourceRequirements | undefined,
): ResourceList {
  return actual === undefined ? withRecorded(limits, record?.limits) : actualLimits(limits, actual);
}

function toRequests(
  requests: ResourceList,
  actual: LinuxResources | undefined,
  record: ResourceRequirements | undefined,
): ResourceList {
  if (actual === undefined) return withRecorded(requests, record?.requests);
  const { memory } = record?.requests ?? {};
  return withRecorded(actualRequests(requests, actual), memory === undefined ? {} : { memory });
}

/** Cpu and memory as they were put in force, where the list names them. */
function withRecorded(list: ResourceList, record: ResourceList = {}): ResourceList {
  const recorded = ['cpu', 'memory'].flatMap((name): [string, string][] => {
    const text = list[name] === undefined ? undefined : record[name];
    const quantity = text === undefined ? undefined : tryParseQuantity(text);
    return quantity === undefined ? [] : Object.entries(differing(name, list, quantity, 0));
  });
  return { ...list, ...Object.fromEntries(recorded) };
}

function actualLimits(limits: ResourceList, actual: LinuxResources): ResourceList {
  const { cpuQuota = 0, cpuPeriod = 0, memoryLimitBytes = 0 } = actual;
  const cpu =
    cpuQuota > 0 && cpuPeriod > 0 ? milliQuantity(Math.floor((cpuQuota * 1000) / cpuPeriod)) : undefined;
  const memory = memoryLimitBytes > 0 ? wholeQuantity(memoryLimitBytes, 'BinarySI') : undefined;
  return {
    ...limits,
    ...differing('cpu', limits, cpu, MIN_CPU_LIMIT_MILLI),
    ...differing('memory', limits, memory, 0),
  };
}

function actualRequests(requests: ResourceList, actual: LinuxResources): ResourceList {
  const { cpuShares = 0 } = actual;
  const cpu = cpuShares > 0 ? milliQuantity(Math.ceil((cpuShares * 1000) / 1024)) : undefined;
  return { ...requests, ...differing('cpu', requests, cpu, MIN_CPU_REQUEST_MILLI) };
}

/** The value in force, unless it equals the allocated one in another notation. */
function differing(
  name: string,
  allocated: ResourceList,
  actual: Quantity | undefined,
  indistinctMilli: number,
): ResourceList {
  if (actual === undefined) return {};
  const wanted = tryParseQuantity(allocated[name] ?? '0') ?? milliQuantity(0);
  const indistinct = quantityToMilli(actual) <= indistinctMilli && quantityToMilli(wanted) <= indistinctMilli;
  if (indistinct || compareQuantities(actual, wanted) === 0) return {};
  return { [name]: formatQuantity(actual) };
}

function isEmpty(list: ResourceList | undefined): list is undefined {
  return list === undefined || Object.keys(list).length === 0;
}
