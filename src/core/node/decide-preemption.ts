/**
 * Which pods are preempted so that a critical one fits. As few as possible: only
 * pods of less importance, guaranteed ones only when the others do not suffice,
 * and in each class those that come closest to what is missing.
 */
import type { Pod } from '../api/pod.ts';
import { isCritical } from '../api/pod-identity.ts';
import { computeQosClass } from '../resources/qos.ts';
import { requestOf, type Shortage } from './find-shortages.ts';

export type Preemption =
  | { readonly ok: true; readonly victims: readonly Pod[] }
  /** Why no set of pods frees enough. */
  | { readonly ok: false; readonly problem: string };

interface Need {
  readonly resource: string;
  readonly amount: number;
}

/** `pod` is critical; `candidates` are the other active pods. */
export function decidePreemption(
  pod: Pod,
  shortages: readonly Shortage[],
  candidates: readonly Pod[],
): Preemption {
  const needs = shortages.map(({ resource, requested, used, capacity }) => ({
    resource,
    amount: requested - (capacity - used),
  }));
  const preemptable = candidates.filter((candidate) => isPreemptable(pod, candidate));
  const unmet = lessen(needs, preemptable);
  if (unmet.length > 0) {
    const listed = unmet.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('');
    return { ok: false, problem: `no set of running pods found to reclaim resources: [${listed}]` };
  }
  const ofClass = (qos: string): Pod[] => preemptable.filter((one) => computeQosClass(one) === qos);
  const bestEffort = ofClass('BestEffort');
  const burstable = ofClass('Burstable');
  const fromGuaranteed = chooseClosest(ofClass('Guaranteed'), lessen(needs, [...bestEffort, ...burstable]));
  const fromBurstable = chooseClosest(burstable, lessen(needs, [...bestEffort, ...fromGuaranteed]));
  const fromBestEffort = chooseClosest(bestEffort, lessen(needs, [...fromBurstable, ...fromGuaranteed]));
  return { ok: true, victims: [...fromBestEffort, ...fromBurstable, ...fromGuaranteed] };
}

function isPreemptable(preemptor: Pod, candidate: Pod): boolean {
  if (isCritical(preemptor) && !isCritical(candidate)) return true;
  const [own, other] = [preemptor.spec.priority, candidate.spec.priority];
  return own !== undefined && other !== undefined && own > other;
}

/** The pods that together meet the needs, which they are known to do; the closest first. */
function chooseClosest(pods: readonly Pod[], needs: readonly Need[]): Pod[] {
  const chosen: Pod[] = [];
  const left = [...pods];
  let unmet = needs;
  while (unmet.length > 0) {
    const open = unmet;
    const [closest] = left.sort((a, b) => distance(open, a) - distance(open, b) || compareSize(a, b));
    if (closest === undefined) return chosen;
    left.shift();
    chosen.push(closest);
    unmet = lessen(unmet, [closest]);
  }
  return chosen;
}

/** By share of each need, so that bytes and millicores weigh the same. */
function distance(needs: readonly Need[], pod: Pod): number {
  return needs.reduce((sum, { resource, amount }) => {
    const rest = Math.max(0, amount - requestOf(pod, resource));
    return sum + (rest / amount) ** 2;
  }, 0);
}

function compareSize(a: Pod, b: Pod): number {
  return requestOf(a, 'memory') - requestOf(b, 'memory') || requestOf(a, 'cpu') - requestOf(b, 'cpu');
}

/** What is still missing once `pods` are gone. */
function lessen(needs: readonly Need[], pods: readonly Pod[]): Need[] {
  return needs
    .map(({ resource, amount }) => ({
      resource,
      amount: pods.reduce((left, pod) => left - requestOf(pod, resource), amount),
    }))
    .filter(({ amount }) => amount > 0);
}
