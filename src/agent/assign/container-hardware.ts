/** What containers are given of the machine for themselves: devices, CPUs, memory of NUMA nodes. */
import type { ContainerPins } from './container-pins.ts';
import type { HardwareSource } from './hardware-source.ts';

export interface ContainerHardware {
  /** In the order in which it counts. */
  readonly sources: readonly HardwareSource[];
  readonly pins: Pick<ContainerPins, 'hasExclusiveCpus' | 'created'>;
}
