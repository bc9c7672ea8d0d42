/** What pods have of the node, for tools that ask the agent on this machine. Answers at once. */
import type { AllocatableList, PodResourceList } from '../../core/devices/pod-resources.ts';

export interface PodResourceReader {
  /** Of every pod that holds resources. */
  list(): PodResourceList[];
  /** Undefined when there is no such pod. */
  find(namespace: string, name: string): PodResourceList | undefined;
  allocatable(): AllocatableList;
}
