/**
 * Whether this node admits a pod it sees for the first time (in this run of
 * the agent: a running pod is checked again after a restart). An ordered list of
 * checks; the first that refuses decides. A new check is one entry here.
 */
import type { Pod } from '../api/pod.ts';
import { isCritical } from '../api/pod-identity.ts';
import type { AdmissionCheck, AdmissionFacts, AdmissionRefusal } from './admission-facts.ts';
import { checkAppArmor } from './check-app-armor.ts';
import { checkNodeFeatures } from './check-node-features.ts';
import { checkPlatform } from './check-platform.ts';
import { checkPressure } from './check-pressure.ts';
import { checkSysctls } from './check-sysctls.ts';
import { decidePreemption } from './decide-preemption.ts';
import { findPlacementProblems, NODE_AFFINITY } from './find-placement-problems.ts';
import { findShortages } from './find-shortages.ts';

export type Admission =
  /** `victims` are preempted for it: empty except for critical pods on a full node. `shortage` is what they free. */
  | { readonly ok: true; readonly victims: readonly Pod[]; readonly shortage?: string }
  | ({ readonly ok: false } & AdmissionRefusal);

/** Of a pod that comes while the node shuts down. */
export const SHUTDOWN_REFUSAL: AdmissionRefusal = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/** After these, and before the others, the pod is assigned what only one container can have. */
const BEFORE_ASSIGNMENT: readonly AdmissionCheck[] = [checkPressure, checkSysctls];
const BEFORE_PLACE: readonly AdmissionCheck[] = [checkPlatform];
const AFTER_PLACE: readonly AdmissionCheck[] = [
  checkAppArmor,
  checkPodLevelResources,
  checkNodeFeatures,
  checkShutdown,
];

export function admitPod(pod: Pod, facts: AdmissionFacts): Admission {
  const first = firstRefusal(BEFORE_ASSIGNMENT, pod, facts);
  if (first !== undefined) return { ok: false, ...first, beforeAssignment: true };
  const early = firstRefusal(BEFORE_PLACE, pod, facts);
  if (early !== undefined) return { ok: false, ...early };
  const place = findPlace(pod, facts);
  if (!place.ok) return place;
  const late = firstRefusal(AFTER_PLACE, pod, facts);
  return late === undefined ? place : { ok: false, ...late };
}

function firstRefusal(
  checks: readonly AdmissionCheck[],
  pod: Pod,
  facts: AdmissionFacts,
): AdmissionRefusal | undefined {
  for (const check of checks) {
    const refusal = check(pod, facts);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** A critical pod is never refused for lack of room as long as preemption can free it. */
function findPlace(pod: Pod, facts: AdmissionFacts): Admission {
  const shortages = findShortages(pod, facts.node.allocatable, facts.others);
  const problems = findPlacementProblems(pod, facts);
  const room = shortages.map(({ resource, requested, used, capacity }) => ({
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  }));
  const counting = isCritical(pod) ? problems : [...room, ...problems];
  const [first] = counting;
  if (first !== undefined) {
    const mayBeStale = counting.every(({ reason }) => reason === NODE_AFFINITY) && {
      mayBeStale: true as const,
    };
    return { ok: false, ...first, ...mayBeStale };
  }
  if (shortages.length === 0) return { ok: true, victims: [] };
  const preemption = decidePreemption(pod, shortages, facts.others);
  if (preemption.ok) return { ...preemption, shortage: shortages[0]?.resource ?? '' };
  const message = `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ${preemption.problem}`;
  return { ok: false, reason: 'UnexpectedAdmissionError', message };
}

function checkPodLevelResources(
  pod: Pod,
  { podLevelResources }: AdmissionFacts,
): AdmissionRefusal | undefined {
  const { requests = {}, limits = {} } = pod.spec.resources ?? {};
  const isSet = Object.keys(requests).length + Object.keys(limits).length > 0;
  if (podLevelResources || !isSet) return undefined;
  return {
    reason: 'PodLevelResourcesNotSupported',
    message: 'PodLevelResources feature gate is disabled',
  };
}

function checkShutdown(_pod: Pod, { shuttingDown }: AdmissionFacts): AdmissionRefusal | undefined {
  return shuttingDown ? SHUTDOWN_REFUSAL : undefined;
}
