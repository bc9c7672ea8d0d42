/** Why a container does not get what it asks for, and how admission words it. */
import type { AdmissionRefusal } from '../node/admission-facts.ts';

export interface AllocationFailure {
  /** Only failures that a pod's author can do something about have one. */
  readonly reason?: string | undefined;
  readonly message: string;
}

export const TOPOLOGY_REFUSAL: AdmissionRefusal = {
  reason: 'TopologyAffinityError',
  message: 'Resources cannot be allocated with Topology locality',
};

export function toRefusal({ reason, message }: AllocationFailure): AdmissionRefusal {
  if (reason !== undefined) return { reason, message };
  return {
    reason: 'UnexpectedAdmissionError',
    message: `Allocate failed due to ${message}, which is unexpected`,
  };
}
