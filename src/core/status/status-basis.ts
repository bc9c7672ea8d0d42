/**
 * What a status was computed from, in one flat list: while no entry has
 * changed, computing it again on top of itself gives the same status. Time is
 * no part of it; a status differs by time in when its conditions turned only.
 * Observed containers and sandboxes, pods and grants are never changed in place.
 */
import type { StatusInput } from './compute-pod-status.ts';

export type StatusBasis = readonly unknown[];

/** `beside` is what the caller uses besides the input, such as what a function in it has captured. The QoS class follows from the pod. */
export function toStatusBasis(input: Omit<StatusInput, 'qosClass'>, beside: readonly unknown[]): StatusBasis {
  const { pod, observed, probes, override, resizeConditions = [] } = input;
  const basis: unknown[] = [pod, input.ended, input.runtimeName, input.agentStartedAtMs, override?.phase];
  basis.push(input.deadlineExceeded, input.actuated, input.supportsRecursiveReadOnly, input.reportStopSignal);
  basis.push(input.hostIps.length, ...input.hostIps);
  basis.push(observed.sandboxes.length, ...observed.sandboxes, observed.containers.length);
  for (const container of observed.containers) {
    basis.push(container);
    if (container.state === 'running')
      basis.push(probes.get('startup', container.id), probes.get('readiness', container.id));
  }
  basis.push(input.waitingReasons.size);
  for (const [name, { reason, message }] of input.waitingReasons) basis.push(name, reason, message);
  basis.push(input.terminationMessages.size);
  for (const [id, text] of input.terminationMessages) basis.push(id, text);
  basis.push(resizeConditions.length);
  for (const { type, status, reason, message, observedGeneration } of resizeConditions)
    basis.push(type, status, reason, message, observedGeneration);
  basis.push(...beside);
  return basis;
}

export function isSameBasis(a: StatusBasis, b: StatusBasis): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index]);
}
