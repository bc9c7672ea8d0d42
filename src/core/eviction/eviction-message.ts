/** What the status and the event of an evicted pod say, to the letter of the upstream kubelet. */
import type { Container, Pod, ResourceRequirements } from '../api/pod.ts';
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  wholeQuantity,
} from '../api/quantity.ts';
import { allContainersOf } from '../model/pod-containers.ts';
import type { ContainerStats, PodStats } from '../stats/summary.ts';
import { type Observation, toAvailableQuantity } from './observations.ts';
import { resourceOf } from './signals.ts';
import { type Threshold, toThresholdQuantity } from './threshold.ts';

export interface EvictionText {
  readonly message: string;
  /** On the event. */
  readonly annotations: Readonly<Record<string, string>>;
}

interface Offender {
  readonly name: string;
  readonly used: string;
  readonly requested: string;
}

export function describeEviction(
  pod: Pod,
  stats: PodStats | undefined,
  threshold: Threshold,
  observation: Observation | undefined,
): EvictionText {
  const resource = resourceOf(threshold.signal);
  const parts = [`The node was low on resource: ${resource}. `];
  if (observation !== undefined) {
    const value = formatQuantity(toThresholdQuantity(threshold.value, observation.capacity));
    const available = formatQuantity(toAvailableQuantity(threshold.signal, observation));
    parts.push(`Threshold quantity: ${value}, available: ${available}. `);
  }
  const podOffender = resource === 'memory' ? findPodOffender(pod, stats) : undefined;
  if (podOffender !== undefined) parts.push(describeOffender('Pod', podOffender, resource));
  const offenders = findOffenders(pod, stats, resource);
  for (const offender of offenders) parts.push(describeOffender('Container', offender, resource));
  return {
    message: parts.join(''),
    annotations: {
      starved_resource: resource,
      offending_containers: offenders.map(({ name }) => name).join(','),
      offending_containers_usage: offenders.map(({ used }) => used).join(','),
      ...(podOffender === undefined
        ? {}
        : { offending_pod: podOffender.name, offending_pod_usage: podOffender.used }),
    },
  };
}

/** The numbers behind a threshold that is met, for its event and the log. */
export function describeShortage(
  { signal, value }: Threshold,
  observation: Observation | undefined,
): Readonly<Record<string, string>> {
  if (observation === undefined) return { signal };
  const threshold = formatQuantity(toThresholdQuantity(value, observation.capacity));
  return { signal, threshold, available: formatQuantity(toAvailableQuantity(signal, observation)) };
}

function describeOffender(kind: string, { name, used, requested }: Offender, resource: string): string {
  return `${kind} ${name} was using ${used}, request is ${requested}, has larger consumption of ${resource}. `;
}

/** With a request of the pod as a whole, the pod is compared with it first. */
function findPodOffender(pod: Pod, stats: PodStats | undefined): Offender | undefined {
  const request = requestOf(pod.spec.resources, 'memory');
  const bytes = stats?.memory?.workingSetBytes;
  if (pod.spec.resources?.requests?.['memory'] === undefined || bytes === undefined) return undefined;
  const used = wholeQuantity(bytes, 'BinarySI');
  if (compareQuantities(used, request) <= 0) return undefined;
  return { name: pod.metadata.name, used: formatQuantity(used), requested: formatQuantity(request) };
}

function findOffenders(pod: Pod, stats: PodStats | undefined, resource: string): Offender[] {
  if (resource !== 'memory' && resource !== 'ephemeral-storage') return [];
  const byName = new Map(allContainersOf(pod).map((container) => [container.name, container] as const));
  return (stats?.containers ?? []).flatMap((one): Offender[] => {
    const container: Container | undefined = byName.get(one.name);
    const bytes = usedBytes(one, resource);
    if (container === undefined || bytes === undefined) return [];
    const [used, request] = [wholeQuantity(bytes, 'BinarySI'), requestOf(container.resources, resource)];
    if (compareQuantities(used, request) <= 0) return [];
    return [{ name: one.name, used: formatQuantity(used), requested: formatQuantity(request) }];
  });
}

function usedBytes({ memory, rootfs, logs }: ContainerStats, resource: string): number | undefined {
  if (resource === 'memory') return memory?.workingSetBytes;
  if (rootfs?.usedBytes === undefined && logs?.usedBytes === undefined) return undefined;
  return (rootfs?.usedBytes ?? 0) + (logs?.usedBytes ?? 0);
}

function requestOf(resources: ResourceRequirements | undefined, name: string): Quantity {
  const text = resources?.requests?.[name];
  return text === undefined ? wholeQuantity(0) : parseQuantity(text);
}
