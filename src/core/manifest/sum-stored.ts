/**
 * Pod-level resources as the API defaults them, with the quantities as stored: what default-resources.ts does
 * to the pod that runs, this does to the one its UID is made of. The order of the additions matters here,
 * because it shows in the stored form.
 */
import type { Container, PodSpec } from '../api/pod.ts';
import { initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { isHugePages } from '../resources/hugepages.ts';
import { isPodLevelResource } from '../resources/pod-resources.ts';
import { addStored, compareStored, type StoredQuantity, toStoredQuantity } from './stored-quantity.ts';

type StoredList = Readonly<Record<string, string | StoredQuantity>>;

export interface StoredResources {
  readonly limits?: StoredList;
  readonly requests?: StoredList;
}

/** The pod-level resources of `spec`, whose containers must have been defaulted; undefined when it has none. */
export function toStoredPodResources(spec: PodSpec): StoredResources | undefined {
  if (spec.resources === undefined) return undefined;
  const limits = fillHugePageLimits(spec);
  if (limits === undefined || Object.keys(limits).length === 0)
    return { ...spec.resources, ...(limits && { limits }) };
  const given = spec.resources.requests;
  const summed = filter(
    sumStored(spec, 'requests'),
    (name) => isPodLevelResource(name) && !isHugePages(name),
  );
  const requests = { ...filter(limits, isPodLevelResource), ...summed, ...given };
  const isSet = given !== undefined || Object.keys(requests).length > 0;
  return { ...spec.resources, limits, ...(isSet ? { requests } : {}) };
}

function fillHugePageLimits({ resources = {}, ...spec }: PodSpec): StoredList | undefined {
  const { limits, requests = {} } = resources;
  if (Object.keys({ ...limits, ...requests }).length === 0) return limits;
  const pages = filter(sumStored(spec, 'limits'), (name) => isHugePages(name) && !(name in requests));
  const filled = { ...pages, ...limits };
  return limits === undefined && Object.keys(filled).length === 0 ? undefined : filled;
}

function filter(list: StoredList, keep: (name: string) => boolean): StoredList {
  return Object.fromEntries(Object.entries(list).filter(([name]) => keep(name)));
}

type Sums = Map<string, StoredQuantity>;

function sumStored(
  spec: Pick<PodSpec, 'containers' | 'initContainers'>,
  what: 'requests' | 'limits',
): StoredList {
  const total: Sums = new Map();
  for (const container of spec.containers) addAll(total, listOf(container, what));
  const sidecars: Sums = new Map();
  const peak: Sums = new Map();
  for (const container of initContainersOf({ spec })) {
    const own = listOf(container, what);
    if (isSidecar(container)) {
      addAll(total, own);
      addAll(sidecars, own);
      raiseAll(peak, sidecars);
    } else {
      const now = new Map(own);
      addAll(now, sidecars);
      raiseAll(peak, now);
    }
  }
  raiseAll(total, peak);
  return Object.fromEntries(total);
}

function listOf(container: Container, what: 'requests' | 'limits'): ReadonlyMap<string, StoredQuantity> {
  const list = Object.entries(container.resources?.[what] ?? {});
  return new Map(list.map(([name, text]) => [name, toStoredQuantity(text)]));
}

function addAll(sums: Sums, list: ReadonlyMap<string, StoredQuantity>): void {
  for (const [name, quantity] of list) {
    const known = sums.get(name);
    sums.set(name, known === undefined ? quantity : addStored(known, quantity));
  }
}

function raiseAll(sums: Sums, list: ReadonlyMap<string, StoredQuantity>): void {
  for (const [name, quantity] of list) {
    const known = sums.get(name);
    if (known === undefined || compareStored(quantity, known) > 0) sums.set(name, quantity);
  }
}
