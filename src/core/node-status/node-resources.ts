/**
 * Capacity and allocatable of the node. Capacity is what the machine has,
 * together with what others have put there (extended resources survive);
 * allocatable is what is left of it for pods.
 *
 * Invariant: a quantity of unchanged value keeps its text, so that a different
 * way of writing it never looks like a change.
 */
import type { StringMap } from '../api/meta.ts';
import type { NodeStatus } from '../api/node.ts';
import type { ResourceList } from '../api/pod.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  milliQuantity,
  parseQuantity,
  type Quantity,
  quantityToBytes,
  subtractQuantities,
  tryParseQuantity,
  wholeQuantity,
} from '../api/quantity.ts';
import { HUGEPAGES_PREFIX } from '../resources/hugepages.ts';
import type { HugepageTotal, MachineResources, ResourceFacts } from './node-status-facts.ts';

export interface NodeResources {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

export function computeNodeResources(status: NodeStatus, facts: ResourceFacts): NodeResources {
  const capacity = computeCapacity(status.capacity ?? {}, facts);
  return { capacity, allocatable: computeAllocatable(status.allocatable ?? {}, capacity, facts) };
}

/**
 * What pods may use of cpu, memory and storage, from the machine and the configuration alone: the limit of a
 * container that has none.
 */
export function computeOwnAllocatable(
  settings: ReservationSettings,
  machine: MachineResources,
): ResourceList {
  const facts = { machine, maxPods: 0, podsPerCore: 0, localStorage: true, devices: [] };
  const { allocatable } = computeNodeResources(
    {},
    { ...facts, reserved: computeReserved(settings, machine) },
  );
  const { cpu = '0', memory = '0', 'ephemeral-storage': storage = '0' } = allocatable;
  return { cpu, memory, 'ephemeral-storage': storage };
}

function computeCapacity(current: ResourceList, facts: ResourceFacts): ResourceList {
  const { machine } = facts;
  const own: Record<string, Quantity> = { ...toMachineQuantities(machine, facts.localStorage) };
  own['pods'] = wholeQuantity(toPodCapacity(facts));
  for (const { name, capacity } of facts.devices) own[name] = wholeQuantity(capacity);
  return writeQuantities(current, own);
}

function toMachineQuantities(
  machine: MachineResources | undefined,
  localStorage: boolean,
): Record<string, Quantity> {
  if (machine === undefined) return { cpu: milliQuantity(0), memory: wholeQuantity(0, 'BinarySI') };
  const quantities: Record<string, Quantity> = {
    cpu: milliQuantity(machine.cpuCount * 1000),
    memory: wholeQuantity(machine.memoryBytes, 'BinarySI'),
  };
  if (localStorage && machine.ephemeralStorageBytes !== undefined)
    quantities['ephemeral-storage'] = wholeQuantity(machine.ephemeralStorageBytes, 'BinarySI');
  for (const page of machine.hugepages)
    quantities[toHugepageName(page)] = wholeQuantity(page.totalBytes, 'BinarySI');
  return quantities;
}

function toHugepageName({ pageBytes }: HugepageTotal): string {
  return HUGEPAGES_PREFIX + formatQuantity(wholeQuantity(pageBytes, 'BinarySI'));
}

function toPodCapacity({ machine, maxPods, podsPerCore }: ResourceFacts): number {
  if (machine === undefined || podsPerCore <= 0) return maxPods;
  return Math.min(machine.cpuCount * podsPerCore, maxPods);
}

function computeAllocatable(
  current: ResourceList,
  capacity: ResourceList,
  { reserved, devices, machine }: ResourceFacts,
): ResourceList {
  const own: Record<string, Quantity> = {};
  for (const [name, text] of Object.entries(capacity)) {
    const total = tryParseQuantity(text);
    if (total !== undefined) own[name] = lessAtLeastZero(total, parseQuantity(reserved[name] ?? '0'));
  }
  for (const { name, allocatable } of devices) own[name] = wholeQuantity(allocatable);
  for (const { totalBytes } of machine?.hugepages ?? [])
    if (own['memory'] !== undefined)
      own['memory'] = lessAtLeastZero(own['memory'], wholeQuantity(totalBytes));
  const kept = Object.entries(current).filter(
    ([name]) => !isExtendedResource(name) || capacity[name] !== undefined,
  );
  return writeQuantities(Object.fromEntries(kept), own);
}

/** Named `<domain>/<name>`, and the domain is not Kubernetes' own. */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

function writeQuantities(current: ResourceList, own: Readonly<Record<string, Quantity>>): ResourceList {
  const written = Object.entries(own).map(([name, quantity]): [string, string] => {
    const old = tryParseQuantity(current[name] ?? '');
    const isSame = old !== undefined && compareQuantities(old, quantity) === 0;
    return [name, isSame ? (current[name] ?? '') : formatQuantity(quantity)];
  });
  return { ...current, ...Object.fromEntries(written) };
}

function lessAtLeastZero(total: Quantity, part: Quantity): Quantity {
  const left = subtractQuantities(total, part);
  return left.nanos < 0n ? { nanos: 0n, format: total.format } : left;
}

export interface ReservationSettings {
  readonly systemReserved: ResourceList;
  readonly kubeReserved: ResourceList;
  /** Thresholds by signal, quantities or percentages; empty when they are not to count. */
  readonly evictionHard: StringMap;
}

/** What is kept from pods, by resource. Throws for a quantity that is none; the configuration was checked before. */
export function computeReserved(settings: ReservationSettings, machine: MachineResources): ResourceList {
  const { systemReserved, kubeReserved, evictionHard } = settings;
  const sums: Record<string, Quantity> = {};
  const add = (name: string, part: Quantity): void => {
    const sum = sums[name];
    sums[name] = sum === undefined ? part : addQuantities(sum, part);
  };
  for (const part of [systemReserved, kubeReserved])
    for (const [name, text] of Object.entries(part)) add(name, parseQuantity(text));
  const storageBytes = machine.ephemeralStorageBytes ?? 0;
  add('memory', toThreshold(evictionHard['memory.available'], machine.memoryBytes));
  add('ephemeral-storage', toThreshold(evictionHard['nodefs.available'], storageBytes));
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, formatQuantity(sum)]));
}

export interface OverReservation {
  readonly name: string;
  readonly reserved: string;
  readonly total: string;
}

/** The first resource of which more is kept than there is; undefined when all is well. */
export function findOverReservation(
  machine: MachineResources,
  reserved: ResourceList,
): OverReservation | undefined {
  for (const [name, quantity] of Object.entries(toMachineQuantities(machine, true))) {
    const kept = parseQuantity(reserved[name] ?? '0');
    if (compareQuantities(kept, quantity) > 0)
      return { name, reserved: formatQuantity(kept), total: formatQuantity(quantity) };
  }
  return undefined;
}

/** A percentage is a fraction of single precision, so 10% of 100Gi is 160 bytes more than a tenth. */
function toThreshold(threshold: string | undefined, capacityBytes: number): Quantity {
  if (threshold === undefined) return wholeQuantity(0, 'BinarySI');
  if (!threshold.endsWith('%')) return wholeQuantity(quantityToBytes(parseQuantity(threshold)), 'BinarySI');
  const percent = Number(threshold.slice(0, -1));
  // Both ends switch the threshold off.
  if (percent === 0 || percent === 100) return wholeQuantity(0, 'BinarySI');
  return wholeQuantity(Math.trunc(capacityBytes * Math.fround(Math.fround(percent) / 100)), 'BinarySI');
}
