/**
 * What pods may use of the machine: its capacity less what is kept for the
 * system, for Kubernetes and for the hard eviction thresholds. Pure.
 */
import type { StringMap } from '../../core/api/meta.ts';
import type { ResourceList } from '../../core/api/pod.ts';
import {
  formatQuantity,
  milliQuantity,
  parseQuantity,
  type Quantity,
  quantityToBytes,
  subtractQuantities,
  wholeQuantity,
} from '../../core/api/quantity.ts';

export interface MachineCapacity {
  readonly cpuCount: number;
  readonly memoryBytes: number;
  /** Of the file system that holds the agent's directory. */
  readonly ephemeralStorageBytes: number;
  /** Memory set aside for huge pages of all sizes. */
  readonly hugepagesBytes: number;
}

export interface Reservations {
  readonly systemReserved: ResourceList;
  readonly kubeReserved: ResourceList;
  /** Thresholds by signal, quantities or percentages; empty when they are not to count. */
  readonly evictionHard: StringMap;
}

/** Never below 0. Throws for a quantity that is none; the configuration was checked before. */
export function computeAllocatable(capacity: MachineCapacity, reservations: Reservations): ResourceList {
  const { systemReserved, kubeReserved, evictionHard } = reservations;
  const rest = (key: string, total: Quantity, extraBytes: number): string => {
    const kept = [systemReserved[key], kubeReserved[key]].flatMap((text) => text ?? []).map(parseQuantity);
    const left = [...kept, wholeQuantity(extraBytes)].reduce(lessAtLeastZero, total);
    return formatQuantity(left);
  };
  const memoryKept = toThresholdBytes(evictionHard['memory.available'], capacity.memoryBytes);
  const storageKept = toThresholdBytes(evictionHard['nodefs.available'], capacity.ephemeralStorageBytes);
  return {
    cpu: rest('cpu', milliQuantity(capacity.cpuCount * 1000), 0),
    memory: rest(
      'memory',
      wholeQuantity(capacity.memoryBytes, 'BinarySI'),
      memoryKept + capacity.hugepagesBytes,
    ),
    'ephemeral-storage': rest(
      'ephemeral-storage',
      wholeQuantity(capacity.ephemeralStorageBytes, 'BinarySI'),
      storageKept,
    ),
  };
}

function lessAtLeastZero(total: Quantity, part: Quantity): Quantity {
  const left = subtractQuantities(total, part);
  return left.nanos < 0n ? subtractQuantities(total, total) : left;
}

/** A percentage is a fraction of single precision, so 10% of 100Gi is 160 bytes more than a tenth. */
function toThresholdBytes(threshold: string | undefined, capacityBytes: number): number {
  if (threshold === undefined) return 0;
  if (!threshold.endsWith('%')) return quantityToBytes(parseQuantity(threshold));
  const percent = Number(threshold.slice(0, -1));
  // Both ends switch the threshold off.
  if (percent === 0 || percent === 100) return 0;
  return Math.trunc(capacityBytes * Math.fround(Math.fround(percent) / 100));
}
