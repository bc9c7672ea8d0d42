/**
 * The order in which pods that wait for a resize are served: those that ask for
 * no more than they have, then by priority, guaranteed pods before others, and
 * last by waiting time.
 */
import type { Pod } from '../api/pod.ts';
import { compareQuantities, type Quantity, wholeQuantity } from '../api/quantity.ts';
import { computePodRequests } from '../resources/pod-resources.ts';
import { computeQosClass } from '../resources/qos.ts';

export interface WaitingResize {
  /** As its spec asks for, and as it was granted. */
  readonly pod: Pod;
  readonly granted: Pod;
  /** When the node first could not grant it; undefined when it was never asked. */
  readonly waitsSinceMs: number | undefined;
}

export function compareResizes(a: WaitingResize, b: WaitingResize): number {
  return (
    Number(isMore(a.pod, a.granted)) - Number(isMore(b.pod, b.granted)) ||
    (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) ||
    Number(isGuaranteed(b)) - Number(isGuaranteed(a)) ||
    compareWaits(a.waitsSinceMs, b.waitsSinceMs)
  );
}

/** True when `a` asks for more cpu or memory than `b`. */
function isMore(a: Pod, b: Pod): boolean {
  const [more, less] = [computePodRequests(a), computePodRequests(b)];
  const amount = (list: ReadonlyMap<string, Quantity>, name: string): Quantity =>
    list.get(name) ?? wholeQuantity(0);
  return ['cpu', 'memory'].some((name) => compareQuantities(amount(more, name), amount(less, name)) > 0);
}

function isGuaranteed({ pod }: WaitingResize): boolean {
  return computeQosClass(pod) === 'Guaranteed';
}

function compareWaits(a: number | undefined, b: number | undefined): number {
  const since = (one: number | undefined): number => one ?? Number.MAX_SAFE_INTEGER;
  return since(a) - since(b);
}
