/**
 * What a pod asks for as a whole: requests and limits of its containers added
 * up, initialisation peaks, pod-level resources and overhead. Used for the
 * pod's cgroup, its sandbox, admission and eviction.
 * Quantities in a pod were validated before; malformed text throws.
 */
import type { Container, Pod, ResourceList } from '../api/pod.ts';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityToBytes,
  quantityToMilli,
} from '../api/quantity.ts';
import { initContainersOf } from '../model/pod-containers.ts';
import { isHugePages } from './hugepages.ts';

/** Resource name to amount; a missing key means "not asked for", which differs from zero. */
export type ResourceAmounts = ReadonlyMap<string, Quantity>;

export interface PodResourceOptions {
  readonly excludeOverhead?: boolean;
  /** False ignores `spec.resources`, as when the gate PodLevelResources is off; default true. */
  readonly podLevelResources?: boolean;
}

type Kind = 'requests' | 'limits';

/** Sum of the requests that must be satisfiable at once, with overhead unless excluded. */
export function computePodRequests(pod: Pod, options: PodResourceOptions = {}): ResourceAmounts {
  return withOverhead(computeAmounts(pod, 'requests', options), pod, options, () => true);
}

/** Sum of the limits; overhead only raises a limit that exists, it never creates one. */
export function computePodLimits(pod: Pod, options: PodResourceOptions = {}): ResourceAmounts {
  return withOverhead(computeAmounts(pod, 'limits', options), pod, options, isLimited);
}

/** Sum over the containers alone: no overhead, no pod-level resources. */
export function computeContainerRequests(pod: Pod): ResourceAmounts {
  return sumContainers(pod, 'requests');
}

/** Resources that may be set on the pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

/** Thousandths of a core; 0 when absent. */
export function cpuMilli(list: ResourceList | undefined): number {
  const text = list?.['cpu'];
  return text === undefined ? 0 : quantityToMilli(parseQuantity(text));
}

/** Bytes of `name`; 0 when absent. */
export function resourceBytes(list: ResourceList | undefined, name: string): number {
  const text = list?.[name];
  return text === undefined ? 0 : quantityToBytes(parseQuantity(text));
}

/** The amount of `name` in thousandths; 0 when absent. */
export function milliOf(amounts: ResourceAmounts, name: string): number {
  const amount = amounts.get(name);
  return amount === undefined ? 0 : quantityToMilli(amount);
}

/** The amount of `name` in whole units; 0 when absent. */
export function bytesOf(amounts: ResourceAmounts, name: string): number {
  const amount = amounts.get(name);
  return amount === undefined ? 0 : quantityToBytes(amount);
}

function computeAmounts(pod: Pod, kind: Kind, options: PodResourceOptions): Map<string, Quantity> {
  const total = sumContainers(pod, kind);
  if (options.podLevelResources === false) return total;
  for (const [name, amount] of parseAmounts(pod.spec.resources?.[kind])) {
    if (isPodLevelResource(name)) total.set(name, amount);
  }
  return total;
}

/**
 * Main containers and sidecars run together. An init container runs beside
 * the sidecars started before it, and that moment may need more than the rest
 * of the pod's life.
 */
function sumContainers(pod: Pod, kind: Kind): Map<string, Quantity> {
  const steady = new Map<string, Quantity>();
  for (const container of pod.spec.containers) add(steady, amountsOf(container, kind));
  const sidecars = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  for (const container of initContainersOf(pod)) {
    const own = amountsOf(container, kind);
    if (container.restartPolicy === 'Always') {
      add(sidecars, own);
      raise(peak, sidecars);
    } else {
      const moment = new Map(sidecars);
      add(moment, own);
      raise(peak, moment);
    }
  }
  add(steady, sidecars);
  raise(steady, peak);
  return steady;
}

function withOverhead(
  total: Map<string, Quantity>,
  pod: Pod,
  options: PodResourceOptions,
  applies: (amount: Quantity | undefined) => boolean,
): ResourceAmounts {
  if (options.excludeOverhead === true) return total;
  for (const [name, amount] of parseAmounts(pod.spec.overhead)) {
    if (applies(total.get(name))) add(total, new Map([[name, amount]]));
  }
  return total;
}

function isLimited(amount: Quantity | undefined): boolean {
  return amount !== undefined && amount.nanos !== 0n;
}

function amountsOf(container: Container, kind: Kind): Map<string, Quantity> {
  return parseAmounts(container.resources?.[kind]);
}

function parseAmounts(list: ResourceList | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function add(total: Map<string, Quantity>, more: ResourceAmounts): void {
  for (const [name, amount] of more) {
    const current = total.get(name);
    total.set(name, current === undefined ? amount : addQuantities(current, amount));
  }
}

function raise(total: Map<string, Quantity>, floor: ResourceAmounts): void {
  for (const [name, amount] of floor) {
    const current = total.get(name);
    if (current === undefined || compareQuantities(amount, current) > 0) total.set(name, amount);
  }
}
