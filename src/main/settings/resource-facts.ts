/**
 * What the configuration and the machine say about resources and features, in
 * the words of the node status. Admission and the node status use the same, so
 * that what a node promises is what it takes.
 */
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import { toDeclaredFeatures } from '../../core/node-status/node-declared-features.ts';
import { computeReserved } from '../../core/node-status/node-resources.ts';
import type { ResourceFacts } from '../../core/node-status/node-status-facts.ts';
import type { FeatureName } from '../config/features.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { toReservations } from './reservations.ts';

export function toResourceFacts(
  loaded: LoadedConfiguration,
  { capacity, hugepages }: MachineFacts,
): Omit<ResourceFacts, 'devices'> {
  const { config } = loaded;
  const { cpuCount, memoryBytes, ephemeralStorageBytes } = capacity;
  const machine = { cpuCount, memoryBytes, ephemeralStorageBytes, hugepages };
  return {
    machine,
    maxPods: config.maxPods,
    podsPerCore: config.podsPerCore,
    localStorage: config.localStorageCapacityIsolation,
    reserved: computeReserved(toReservations(loaded), machine),
  };
}

/** Undefined when the node declares nothing. */
export function readDeclaredFeatures({ features }: LoadedConfiguration): string[] | undefined {
  const isDeclared = (gate: string): boolean => features.enabled(gate as FeatureName);
  return toDeclaredFeatures(isDeclared, { userNamespacesHostNetwork: false });
}
