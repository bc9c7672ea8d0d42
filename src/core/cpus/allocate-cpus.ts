/** Gives a container its CPUs, from near the place that was found for it, or says why it cannot have them. */
import type { Container, Pod } from '../api/pod.ts';
import { toPodUid } from '../model/ids.ts';
import type { AllocationFailure } from '../topology/allocation-failure.ts';
import { type NumaMask, nodesOf } from '../topology/numa-mask.ts';
import { type CpuPolicy, reservedCores, takeCpus } from './cpu-policy.ts';
import { exclusiveCpus } from './cpu-request.ts';
import { type CpuSet, NO_CPUS } from './cpu-set.ts';
import { type CpuState, giveCpus, reusableCpus } from './cpu-state.ts';
import { allCpus, cpusIn, groupsOf } from './cpu-topology.ts';

export type CpuAllocation =
  /** Undefined when the container uses the shared pool, or had its CPUs already. */
  | { readonly ok: true; readonly state: CpuState; readonly given: CpuSet | undefined }
  | ({ readonly ok: false } & AllocationFailure);

/** `place` undefined is anywhere. */
export function allocateCpus(
  policy: CpuPolicy,
  state: CpuState,
  pod: Pod,
  container: Container,
  place: NumaMask | undefined,
): CpuAllocation {
  const count = exclusiveCpus(pod, container);
  const uid = toPodUid(pod.metadata.uid);
  if (count === 0 || state.assigned.get(uid)?.has(container.name) === true)
    return { ok: true, state, given: undefined };
  const misaligned = checkCores(policy, state, count);
  if (misaligned !== undefined) return { ok: false, ...misaligned };
  const free = freeCpus(policy, state).union(reusableCpus(state, pod, container));
  const chosen = choose(policy, free, count, place);
  if (!chosen.ok) return chosen;
  return { ok: true, state: giveCpus(state, uid, container.name, chosen.cpus), given: chosen.cpus };
}

/** What a container could get now. */
export function freeCpus({ reserved }: CpuPolicy, { shared }: CpuState): CpuSet {
  return shared.difference(reserved);
}

/** First from the place, then from anywhere. */
function choose(policy: CpuPolicy, free: CpuSet, count: number, place: NumaMask | undefined) {
  const near = place === undefined ? NO_CPUS : nearCpus(policy, free, place);
  const first = takeCpus(policy, near, Math.min(count, near.size));
  if (!first.ok) return first;
  const rest = takeCpus(policy, free.difference(first.cpus), count - first.cpus.size);
  return rest.ok ? { ok: true as const, cpus: first.cpus.union(rest.cpus) } : rest;
}

function nearCpus({ topology, options }: CpuPolicy, free: CpuSet, place: NumaMask): CpuSet {
  const nodes = new Set(nodesOf(place));
  if (!options.bySocket) return cpusIn(topology, free, 'node', nodes);
  const ofPlace = cpusIn(topology, allCpus(topology), 'node', nodes);
  return cpusIn(topology, free, 'socket', groupsOf(topology, ofPlace, 'socket'));
}

/** With whole cores only, a thread beside a reserved one is as good as taken. */
function checkCores(policy: CpuPolicy, state: CpuState, count: number): AllocationFailure | undefined {
  const { topology, options } = policy;
  if (!options.fullCores) return undefined;
  const { cpusPerCore } = topology;
  const error = (what: string): AllocationFailure => ({
    reason: 'SMTAlignmentError',
    message: `SMT Alignment Error: ${what}`,
  });
  if (count % cpusPerCore !== 0)
    return error(`requested ${count} cpus not multiple cpus per core = ${cpusPerCore}`);
  const whole = state.shared.difference(reservedCores(policy)).size;
  if (count <= whole) return undefined;
  return error(
    `not enough free physical CPUs: available physical CPUs = ${whole}, requested CPUs = ${count}, CPUs per core = ${cpusPerCore}`,
  );
}
