/**
 * Cgroup values as properties of a systemd unit, in the words of its D-Bus
 * interface. Pure; systemd-units.ts hands them over. What has no property
 * (huge pages) is only written to the cgroup's files.
 */
import type { CgroupValues } from '../../core/resources/cgroup-values.ts';
import { sharesToWeight } from '../../core/resources/cpu-units.ts';

/** A value with its D-Bus type, as a variant is made of them. */
export type TypedValue = readonly [
  type: string,
  value: string | boolean | bigint | readonly string[] | readonly number[],
];
export type UnitProperty = readonly [name: string, value: TypedValue];

export interface SystemdFacts {
  readonly cgroupVersion: 1 | 2;
  readonly systemdVersion: number;
}

/** The versions that learnt them. */
const QUOTA_PERIOD_SINCE = 242;
const ALLOWED_CPUS_SINCE = 244;

const DEFAULT_PERIOD_US = 100_000;
const INFINITY = 18_446_744_073_709_551_615n;
/** One percent of a CPU, in microseconds per second. */
const QUOTA_STEP = 10_000;

/** What a new slice gets besides its values. */
export function toSlicePropertiesOf(unit: string, parent: string): UnitProperty[] {
  return [
    ['Description', ['s', `libcontainer container ${unit}`]],
    ['Wants', ['as', [parent]]],
    ['MemoryAccounting', ['b', true]],
    ['CPUAccounting', ['b', true]],
    ['IOAccounting', ['b', true]],
    ['TasksAccounting', ['b', true]],
    ['DefaultDependencies', ['b', false]],
  ];
}

/** Systemd knows whole percents only: the quota is raised to the next, in the cgroup's files as well. */
export function roundQuota(values: CgroupValues): CgroupValues {
  const { cpuQuotaUs = 0, cpuPeriodUs = DEFAULT_PERIOD_US } = values;
  if (cpuQuotaUs <= 0) return values;
  return {
    ...values,
    cpuQuotaUs: Math.floor((toQuotaPerSecond(cpuQuotaUs, cpuPeriodUs) * cpuPeriodUs) / 1e6),
  };
}

export function toUnitProperties(values: CgroupValues, facts: SystemdFacts): UnitProperty[] {
  const { cgroupVersion, systemdVersion } = facts;
  const isV2 = cgroupVersion === 2;
  const { cpuShares, memoryLimitBytes, memoryMinBytes, memoryLowBytes, pidsLimit, cpus } = values;
  const properties: UnitProperty[] = [];
  const add = (name: string, value: number): void =>
    void properties.push([name, ['t', value < 0 ? INFINITY : BigInt(Math.floor(value))]]);
  if (memoryLimitBytes !== undefined) add(isV2 ? 'MemoryMax' : 'MemoryLimit', memoryLimitBytes);
  if (isV2 && memoryMinBytes !== undefined) add('MemoryMin', memoryMinBytes);
  if (isV2 && memoryLowBytes !== undefined) add('MemoryLow', memoryLowBytes);
  if (cpuShares !== undefined)
    add(isV2 ? 'CPUWeight' : 'CPUShares', isV2 ? sharesToWeight(cpuShares) : cpuShares);
  properties.push(...toQuotaProperties(values, systemdVersion));
  if (pidsLimit !== undefined) add('TasksMax', pidsLimit < 0 ? pidsLimit : Math.max(1, pidsLimit));
  if (cpus !== undefined && cpus !== '' && systemdVersion >= ALLOWED_CPUS_SINCE)
    properties.push(['AllowedCPUs', ['ay', toCpuMask(cpus)]]);
  return properties;
}

function toQuotaProperties(
  { cpuQuotaUs = 0, cpuPeriodUs = 0 }: CgroupValues,
  version: number,
): UnitProperty[] {
  const properties: UnitProperty[] = [];
  if (cpuPeriodUs !== 0 && version >= QUOTA_PERIOD_SINCE)
    properties.push(['CPUQuotaPeriodUSec', ['t', BigInt(cpuPeriodUs)]]);
  if (cpuQuotaUs === 0 && cpuPeriodUs === 0) return properties;
  const perSecond =
    cpuQuotaUs > 0 ? BigInt(toQuotaPerSecond(cpuQuotaUs, cpuPeriodUs || DEFAULT_PERIOD_US)) : INFINITY;
  return [...properties, ['CPUQuotaPerSecUSec', ['t', perSecond]]];
}

function toQuotaPerSecond(quotaUs: number, periodUs: number): number {
  const exact = Math.floor((quotaUs * 1e6) / periodUs);
  return Math.ceil(exact / QUOTA_STEP) * QUOTA_STEP;
}

/** `0-3,8` as bytes, CPU 0 being the lowest bit of the first. */
export function toCpuMask(list: string): number[] {
  const bytes: number[] = [];
  for (const range of list.split(',')) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let cpu = first; cpu <= last; cpu++) {
      const index = Math.floor(cpu / 8);
      while (bytes.length <= index) bytes.push(0);
      bytes[index] = (bytes[index] ?? 0) | (1 << (cpu % 8));
    }
  }
  return bytes;
}
