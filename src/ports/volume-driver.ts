/**
 * One kind of volume: how it comes onto the node and goes away again. Every
 * step may be repeated after a crash at any point, so both calls start from
 * what is on disk: the volume's directory is made before anything is mounted
 * on it and removed last, which is the record of what there is to undo.
 */
import type { Pod } from '../core/api/pod.ts';
import type { Volume } from '../core/api/volume.ts';
import type { PreparedSubPath, PreparedVolume } from '../core/spec/mounts.ts';
import type { Outcome } from '../core/spec/outcome.ts';
import type { VolumeSource } from '../core/volume/volume-source.ts';

/** Where a volume is kept. Known without its definition: after a crash nobody may have that any more. */
export interface VolumePlace {
  readonly podUid: string;
  readonly name: string;
  /** The volume's own directory; whether there is one is up to the driver. */
  readonly directory: string;
}

export interface VolumeRequest extends VolumePlace {
  readonly pod: Pod;
  readonly volume: Volume;
  readonly signal: AbortSignal;
}

export interface MountedVolume {
  readonly prepared: PreparedVolume;
  /** When its content is to be made anew although nothing changed. */
  readonly refreshAtMs?: number;
}

export interface VolumeDriver {
  /** Such as `kubernetes.io/empty-dir`; it names the directory. */
  readonly plugin: string;
  readonly source: VolumeSource;
  /** True when what it shows may change while it is mounted. */
  readonly refreshes: boolean;
  /**
   * Sets the volume up, or brings it up to date when it is there. A refusal
   * is for the user to read; rejects with AgentError when the host fails.
   */
  mount(request: VolumeRequest): Promise<Outcome<MountedVolume>>;
  /** Takes the volume away with its content; nothing there is success. */
  unmount(place: VolumePlace): Promise<void>;
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

/** Reaches into volumes that containers may write, without being led astray by them. */
export interface SubPathBinder {
  /** Gives a part of a volume a place of its own that nobody can redirect. Rejects only when `signal` aborted. */
  bind(request: SubPathRequest): Promise<PreparedSubPath>;
  /** The text of a regular file of at most `maxBytes` inside the volume; undefined when there is none. */
  readFile(volumePath: string, path: string, maxBytes: number): Promise<string | undefined>;
}
