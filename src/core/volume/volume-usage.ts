/**
 * Usage and health of volumes: the numbers shown for a volume, from the file
 * system or from the storage driver. Unknown numbers are 0, as upstream shows
 * them.
 */
import type { Pod } from '../api/pod.ts';
import { toClaimName } from './resolve-claim.ts';

export interface VolumeUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
}

/** A volume's health as its storage driver reports it. */
export interface VolumeCondition {
  readonly abnormal: boolean;
  readonly message: string;
}

export interface VolumeReading {
  readonly usage: VolumeUsage;
  /** Absent when the driver does not report it. */
  readonly condition?: VolumeCondition;
}

/** The last reading of one volume of a pod. */
export interface VolumeMeasurement extends VolumeReading {
  readonly podUid: string;
  /** As the pod names it. */
  readonly volume: string;
  /** The claim behind it. */
  readonly claim?: { readonly namespace: string; readonly name: string };
  readonly takenAtMs: number;
}

/** The kernel's numbers of a mounted file system, as statfs(2) calls them. */
export interface FileSystemFacts {
  readonly bsize: number;
  readonly blocks: number;
  readonly bfree: number;
  /** What is free for others than root. */
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}

export const NO_USAGE: VolumeUsage = {
  capacityBytes: 0,
  availableBytes: 0,
  usedBytes: 0,
  inodes: 0,
  inodesFree: 0,
  inodesUsed: 0,
};

export function toFileSystemUsage({
  bsize,
  blocks,
  bfree,
  bavail,
  files,
  ffree,
}: FileSystemFacts): VolumeUsage {
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}

export function toMeasurement(
  pod: Pod,
  volume: string,
  reading: VolumeReading,
  takenAtMs: number,
): VolumeMeasurement {
  const defined = pod.spec.volumes?.find(({ name }) => name === volume);
  const wanted = defined === undefined ? undefined : toClaimName(pod, defined);
  const claim = wanted === undefined ? {} : { claim: { namespace: wanted.namespace, name: wanted.name } };
  return { podUid: pod.metadata.uid, volume, ...claim, takenAtMs, ...reading };
}

/** One measurement per claim, the first, however many pods use it. */
export function pickByClaim(
  measurements: Iterable<VolumeMeasurement>,
): (VolumeMeasurement & Required<Pick<VolumeMeasurement, 'claim'>>)[] {
  const picked = new Map<string, VolumeMeasurement & Required<Pick<VolumeMeasurement, 'claim'>>>();
  for (const measurement of measurements) {
    const { claim } = measurement;
    if (claim === undefined) continue;
    const key = `${claim.namespace}/${claim.name}`;
    if (!picked.has(key)) picked.set(key, { ...measurement, claim });
  }
  return [...picked.values()];
}

/** The event of a volume whose driver calls it abnormal; undefined for any other. */
export function toAbnormalEvent(
  volume: string,
  condition: VolumeCondition | undefined,
): { readonly reason: string; readonly message: string } | undefined {
  if (condition?.abnormal !== true) return undefined;
  return { reason: 'VolumeConditionAbnormal', message: `Volume ${volume}: ${condition.message}` };
}
