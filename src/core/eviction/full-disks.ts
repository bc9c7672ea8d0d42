/** Which disks of the node have nothing left: there writing fails, whatever the thresholds are. */
import type { Observations } from './observations.ts';
import type { EvictionSignal } from './signals.ts';

export type NodeDisk = 'nodefs' | 'imagefs';

/** Less than a file system keeps for itself: small files may still fit, the next larger one does not. */
const LEAST_BYTES = 1024 ** 2;
const DISKS: readonly NodeDisk[] = ['nodefs', 'imagefs'];

/** A disk that is smaller than that altogether, or has no fixed number of inodes, is not judged by it. */
export function findFullDisks(observations: Observations): NodeDisk[] {
  const isBelow = (signal: EvictionSignal, least: number): boolean => {
    const { available, capacity } = observations.get(signal) ?? { available: least, capacity: 0 };
    return available < least && capacity > least;
  };
  return DISKS.filter(
    (disk) => isBelow(`${disk}.available`, LEAST_BYTES) || isBelow(`${disk}.inodesFree`, 1),
  );
}
