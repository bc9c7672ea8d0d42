/**
 * One kind of volume: how it comes onto the node and goes away again. Every
 * step may be repeated after a crash at any point, so both calls start from
 * what is on disk: the volume's directory is made before anything is mounted
 * on it and removed last, which is the record of what there is to undo.
 */
import type { Pod } from '../../core/api/pod.ts';
import type { Volume } from '../../core/api/volume.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { PreparedBlockVolume } from '../../core/spec/devices.ts';
import type { PreparedSubPath, PreparedVolume } from '../../core/spec/mounts.ts';
import type { PersistentSource } from '../../core/volume/resolved-volume.ts';
import type { MountStage, VolumeSource } from '../../core/volume/volume-source.ts';
import type { VolumeReading } from '../../core/volume/volume-usage.ts';

/** Where a volume is kept. Known without its definition, which may be lost after a crash. */
export interface VolumePlace {
  readonly podUid: PodUid;
  /** The inner name: that of the persistent volume where there is one. */
  readonly name: string;
  /** The volume's own directory, or the pod's link to a block device; whether there is one is up to the driver. */
  readonly directory: string;
}

export interface VolumeRequest extends VolumePlace {
  readonly pod: Pod;
  /** As the pod has it. */
  readonly volume: Volume;
  /** What is behind the claim that the pod's volume names. */
  readonly persistent?: PersistentSource | undefined;
  /** It was already set up since the agent started: containers may be using it. */
  readonly isRemount: boolean;
  readonly signal: AbortSignal;
  /** Records a warning about the pod, with the text users know. */
  readonly warn: (reason: string, message: string) => void;
  /** Records a normal event about the pod. */
  readonly inform?: (reason: string, message: string) => void;
  /** Records an event about the claim behind the volume; no effect when there is none. */
  readonly informClaim?: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** Records a warning about the persistent volume; absent when there is none. */
  readonly warnVolume?: (reason: string, message: string) => void;
}

/** Measures how full a volume is while it is set up. */
export interface VolumeGauge {
  /** Who measures: `statfs`, `du`, `block`, or the name of a storage driver. */
  readonly source: string;
  /**
   * Undefined when it turns out that the usage cannot be measured. Rejects with
   * AgentError; with a dead file server it may hang even after `signal` aborts.
   */
  read(signal: AbortSignal): Promise<VolumeReading | undefined>;
}

export interface MountedVolume {
  readonly prepared: PreparedVolume;
  /** Absent for kinds that are not measured. */
  readonly gauge?: VolumeGauge;
  /** When its content must be regenerated although nothing changed. */
  readonly refreshAtMs?: number | undefined;
}

/** A refusal is for the user to read; it may carry the stage the volume reached, and that the node is over its limit. */
export type VolumeOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly message: string;
      readonly stage?: MountStage;
      readonly isOverLimit?: true | undefined;
    };

export interface VolumeDriver {
  /** Such as `kubernetes.io/empty-dir`; it names the directory. */
  readonly plugin: string;
  readonly source: VolumeSource;
  /** True when what it shows may change while it is mounted. */
  readonly refreshes: boolean;
  /** Whether persistent volumes of this kind may name mount options. */
  readonly takesMountOptions?: boolean;
  /** Sets the volume up, or brings it up to date when it is there; rejects with AgentError when the host fails. */
  mount(request: VolumeRequest): Promise<VolumeOutcome<MountedVolume>>;
  /** Takes the volume away with its content, unless that is to outlive the pod; nothing there is success. */
  unmount(place: VolumePlace, signal?: AbortSignal): Promise<void>;
  /** The same for a volume that containers get as a device; absent where there is no such thing. */
  readonly block?: BlockVolumeDriver;
}

/** A kind of volume whose drivers come and go while the agent runs. */
export interface VolumeDriverFamily {
  readonly source: VolumeSource;
  /** The driver of that name, such as `example.com/disk`; undefined when there is none that can be used. */
  find(name: string): Promise<VolumeDriver | undefined>;
}

export interface MappedVolume extends PreparedBlockVolume {
  /** When to check again whether work is pending. */
  readonly refreshAtMs?: number;
  readonly gauge?: VolumeGauge;
}

export interface BlockVolumeDriver {
  /** Makes the link at `directory` before anything else: it is the record of what there is to undo. */
  map(request: VolumeRequest): Promise<VolumeOutcome<MappedVolume>>;
  /** Removes the link last. */
  unmap(place: VolumePlace, signal?: AbortSignal): Promise<void>;
}

export interface SubPathRequest {
  /** The volume on the host. */
  readonly volumePath: string;
  /** Inside of it; relative, without `..`. */
  readonly path: string;
  /** Where it is to be bound; its parents are the agent's own. */
  readonly target: string;
  readonly signal: AbortSignal;
}

/** Reaches into volumes that containers may write, without following paths they redirect. */
export interface SubPathBinder {
  /** Binds a part of a volume to a path of its own that no container can redirect. Rejects only when `signal` aborted. */
  bind(request: SubPathRequest): Promise<PreparedSubPath>;
  /** The text of a regular file of at most `maxBytes` inside the volume; undefined when there is none. */
  readFile(volumePath: string, path: string, maxBytes: number): Promise<string | undefined>;
}
