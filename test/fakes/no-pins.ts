/** A node that binds no container to CPUs or memory. */
import type { ContainerPins } from '../../src/agent/assign/container-pins.ts';

export const noPins: Pick<ContainerPins, 'of' | 'hasExclusiveCpus' | 'created' | 'applied' | 'failed'> = {
  of: () => ({}),
  hasExclusiveCpus: () => false,
  created: () => {},
  applied: () => {},
  failed: () => {},
};
