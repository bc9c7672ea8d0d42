/**
 * Which CPUs belong to one container alone and which all others share. A
 * value: every change is a new one.
 *
 * Invariants: no CPU is in the shared pool and in an assignment; two
 * assignments share a CPU only inside a pod, where an init container has
 * ended before the other starts.
 */
import type { Container, Pod } from '../api/pod.ts';
import { type PodUid, toPodUid } from '../model/ids.ts';
import { containersOf, initContainersOf, isSidecar } from '../model/pod-containers.ts';
import { type CpuPolicy, wholePool } from './cpu-policy.ts';
import { type CpuSet, isSameCpuSet, NO_CPUS, renderCpuSet } from './cpu-set.ts';

/** By the name of the container. */
export type PodCpus = ReadonlyMap<string, CpuSet>;

export interface CpuState {
  readonly shared: CpuSet;
  readonly assigned: ReadonlyMap<PodUid, PodCpus>;
}

export const NO_CPU_STATE: CpuState = { shared: NO_CPUS, assigned: new Map() };

/** All CPUs that belong to containers. */
export function assignedCpus({ assigned }: CpuState): CpuSet {
  return new Set([...assigned.values()].flatMap(unionOf));
}

export function giveCpus(state: CpuState, uid: PodUid, container: string, cpus: CpuSet): CpuState {
  const ofPod = new Map([...(state.assigned.get(uid) ?? []), [container, cpus] as const]);
  return {
    shared: state.shared.difference(cpus),
    assigned: new Map([...state.assigned, [uid, ofPod] as const]),
  };
}

/** What the pod had is shared again. */
export function returnCpus(state: CpuState, uid: PodUid): CpuState {
  const had = state.assigned.get(uid);
  if (had === undefined) return state;
  const assigned = new Map(state.assigned);
  assigned.delete(uid);
  return { shared: state.shared.union(new Set(unionOf(had))), assigned };
}

/** What the containers before this one leave to it: CPUs of init containers that have ended by then. */
export function reusableCpus(state: CpuState, pod: Pod, container: Pick<Container, 'name'>): CpuSet {
  const ofPod = state.assigned.get(toPodUid(pod.metadata.uid));
  if (ofPod === undefined) return NO_CPUS;
  const init = new Set(initContainersOf(pod).filter((one) => !isSidecar(one)));
  let reusable = NO_CPUS;
  for (const one of containersOf(pod)) {
    if (one.name === container.name) break;
    const own = ofPod.get(one.name) ?? NO_CPUS;
    reusable = init.has(one) ? reusable.union(own) : reusable.difference(own);
  }
  return reusable;
}

/** What was saved, as this machine and policy can use it; or why the agent must not start with it. */
export function checkCpuState(policy: CpuPolicy, state: CpuState): CpuState | { readonly problem: string } {
  const whole = wholePool(policy);
  if (state.shared.size === 0 && state.assigned.size === 0) return { shared: whole, assigned: new Map() };
  // Where reserved CPUs are not shared either, the last of the others may have been given away.
  if (state.shared.size === 0 && !policy.options.strictReservation)
    return { problem: 'default cpuset cannot be empty' };
  const problem = findReservationProblem(policy, state) ?? findOverlap(state);
  if (problem !== undefined) return { problem };
  const known = state.shared.union(assignedCpus(state));
  if (isSameCpuSet(known, whole)) return state;
  const [now, saved] = [renderCpuSet(whole), renderCpuSet(known)];
  return { problem: `current set of available CPUs "${now}" doesn't match with CPUs in state "${saved}"` };
}

function findReservationProblem({ reserved, options }: CpuPolicy, { shared }: CpuState): string | undefined {
  const inPool = reserved.intersection(shared);
  const pool = renderCpuSet(shared);
  if (options.strictReservation)
    return inPool.size === 0
      ? undefined
      : `some of strictly reserved cpus: "${renderCpuSet(inPool)}" are present in defaultCpuSet: "${pool}"`;
  return inPool.size === reserved.size
    ? undefined
    : `not all reserved cpus: "${renderCpuSet(reserved)}" are present in defaultCpuSet: "${pool}"`;
}

/** Also between pods: upstream believes a file that gives one CPU to two of them. */
function findOverlap({ shared, assigned }: CpuState): string | undefined {
  const owners = new Map<number, PodUid>();
  for (const [uid, ofPod] of assigned)
    for (const [container, cpus] of ofPod) {
      const where = `pod: ${uid}, container: ${container} cpuset: "${renderCpuSet(cpus)}"`;
      if (!shared.isDisjointFrom(cpus))
        return `${where} overlaps with default cpuset "${renderCpuSet(shared)}"`;
      for (const cpu of cpus) {
        const owner = owners.get(cpu) ?? uid;
        if (owner !== uid) return `${where} overlaps with that of pod ${owner}`;
        owners.set(cpu, uid);
      }
    }
  return undefined;
}

function unionOf(ofPod: PodCpus): number[] {
  return [...ofPod.values()].flatMap((cpus) => [...cpus]);
}
