/**
 * What the admission of a pod uses, and the result of a check. Gathered when
 * a pod is first seen; the checks beside this file only read.
 */
import type { StringMap } from '../api/meta.ts';
import type { Taint } from '../api/node.ts';
import type { Pod, ResourceList } from '../api/pod.ts';

/** The current node: its API object, else as it would be registered. */
export interface AdmittingNode {
  readonly name: string;
  readonly labels: StringMap;
  readonly taints: readonly Taint[];
  /** Also `pods`, huge pages and extended resources. */
  readonly allocatable: ResourceList;
  readonly supplementalGroupsPolicy: boolean;
}

export interface AdmissionFacts {
  readonly node: AdmittingNode;
  /** GOOS of the node. */
  readonly operatingSystem: string;
  readonly kernelVersion: string;
  /** Names and `prefix*` patterns. */
  readonly allowedUnsafeSysctls: readonly string[];
  readonly appArmorEnabled: boolean;
  /** Conditions of the node under which not every pod is admitted, such as `MemoryPressure`. */
  readonly pressures: readonly string[];
  /** Undefined when the node declares nothing: then nothing is checked. */
  readonly declaredFeatures: readonly string[] | undefined;
  readonly shuttingDown: boolean;
  readonly podLevelResources: boolean;
  /** Every other pod that has or may have something running here, and holds what it asked for. */
  readonly others: readonly Pod[];
}

/** Why a pod is not admitted, in the words of the API. */
export interface AdmissionRefusal {
  readonly reason: string;
  readonly message: string;
  /** Only the labels of the node do not match, and they may have changed since they were read. */
  readonly mayBeStale?: true;
  /** It counts before what the pod could not be assigned. */
  readonly beforeAssignment?: true;
  /** What a person wants to know besides, where the API's message leaves it out. */
  readonly note?: string;
  /** Its name in metrics, where they distinguish such refusals. */
  readonly detail?: string;
}

/** Undefined when the check passes. */
export type AdmissionCheck = (pod: Pod, facts: AdmissionFacts) => AdmissionRefusal | undefined;
