/**
 * What a volume of a pod turns out to be: written out in the pod itself, or a
 * persistent volume behind a claim. Directories are named after the inner
 * name, which is the persistent volume's.
 */
import type { PersistentVolume, PersistentVolumeClaim, VolumeMode } from '../api/persistent-volume.ts';
import type { Volume } from '../api/volume.ts';
import { sourceOf, type VolumeSource } from './volume-source.ts';

export interface ResolvedVolume {
  /** As the pod has it. */
  readonly volume: Volume;
  /** Names its places on disk and its events. */
  readonly innerName: string;
  /** Undefined for a volume without any source. */
  readonly source: VolumeSource | undefined;
  readonly persistent?: PersistentSource;
}

/** The volume behind a claim. */
export interface PersistentSource {
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
  /** As the pod requests it; the setting of the volume itself does not count. */
  readonly readOnly: boolean;
  readonly mode: VolumeMode;
}

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
const GROUP = 'pv.beta.kubernetes.io/gid';

export function toInlineVolume(volume: Volume): ResolvedVolume {
  return { volume, innerName: volume.name, source: sourceOf(volume) };
}

/** The annotation wins over the field, as upstream has it. */
export function toMountOptions({ metadata, spec }: PersistentVolume): readonly string[] {
  const annotated = metadata.annotations?.[MOUNT_OPTIONS];
  if (annotated !== undefined && annotated !== '') return annotated.split(',');
  return spec.mountOptions ?? [];
}

/** The group whose members may use the volume; one that is no number is dropped. */
export function toVolumeGroup({ metadata }: PersistentVolume): number | undefined {
  const text = metadata.annotations?.[GROUP];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Exactly one pod may have it. */
export function isForOnePod({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return accessModes.length === 1 && accessModes[0] === 'ReadWriteOncePod';
}
