/**
 * API defaults of requests and limits: quantities rounded up to thousandths and printed canonically, requests
 * taken from limits, and pod-level requests taken from the containers.
 */
import type { PodSpec, ResourceList, ResourceRequirements } from '../api/pod.ts';
import { formatQuantity, type Quantity, tryParseQuantity } from '../api/quantity.ts';
import { isHugePages } from '../resources/hugepages.ts';
import { isPodLevelResource } from '../resources/pod-resources.ts';
import type { ContainerDefaults } from './default-container.ts';
import { addUp } from './field/add-up-resources.ts';

const NANOS_PER_MILLI = 1_000_000n;

/** The list in canonical text, rounded up to thousandths; text that is no quantity stays for validation to name. */
export function roundResources(list: ResourceList): ResourceList {
  return Object.fromEntries(
    Object.entries(list).map(([name, text]) => {
      const quantity = tryParseQuantity(text);
      return [name, quantity === undefined ? text : formatQuantity(roundUp(quantity))];
    }),
  );
}

function roundUp(quantity: Quantity): Quantity {
  const rest = quantity.nanos % NANOS_PER_MILLI;
  if (rest === 0n) return quantity;
  const up = quantity.nanos > 0n ? NANOS_PER_MILLI : -NANOS_PER_MILLI;
  return { ...quantity, nanos: quantity.nanos - rest + up };
}

export function defaultResources(
  resources: ResourceRequirements,
  { fillRequests, quantities }: Pick<ContainerDefaults, 'fillRequests' | 'quantities'>,
): ResourceRequirements {
  const toList = (list: ResourceList) => (quantities === 'canonical' ? roundResources(list) : list);
  const limits = resources.limits === undefined ? undefined : toList(resources.limits);
  const given = resources.requests === undefined ? undefined : toList(resources.requests);
  const requests = fillRequests && limits !== undefined ? { ...limits, ...given } : given;
  return {
    ...resources,
    ...(limits === undefined ? {} : { limits }),
    ...(requests === undefined ? {} : { requests }),
  };
}

/**
 * Fills pod-level huge page limits and pod-level requests. Containers must have been defaulted before: their
 * requests, added up, are the pod's; where none asks, the pod-level limit is.
 */
export function defaultPodResources(spec: PodSpec): PodSpec {
  if (spec.resources === undefined) return spec;
  const rounded = defaultResources(spec.resources, { fillRequests: false, quantities: 'canonical' });
  const limits = fillHugePageLimits(spec, rounded);
  if (Object.keys(limits).length === 0) return { ...spec, resources: rounded };
  const fromContainers = filterList(
    addUp(spec, 'requests'),
    (name) => isPodLevelResource(name) && !isHugePages(name),
  );
  const requests = { ...filterList(limits, isPodLevelResource), ...fromContainers, ...rounded.requests };
  return { ...spec, resources: { ...rounded, limits, requests } };
}

function fillHugePageLimits(spec: PodSpec, resources: ResourceRequirements): ResourceList {
  const { limits = {}, requests = {} } = resources;
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return limits;
  const pages = filterList(addUp(spec, 'limits'), (name) => isHugePages(name) && !(name in requests));
  return { ...pages, ...limits };
}

function filterList(list: ResourceList, keep: (name: string) => boolean): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([name]) => keep(name)));
}
