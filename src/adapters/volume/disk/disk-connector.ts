/**
 * What differs between disks that come over a network: what a volume says
 * about them, how they get onto the node and how they leave it. The mounts
 * are those of network-disk-driver.ts.
 */
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { VolumeOutcome, VolumeRequest } from '../../../ports/storage/volume-driver.ts';

/** A disk that a volume asks for. */
export interface WantedDisk {
  /** By which the cluster knows it, below the plugin's name. */
  readonly name: string;
  /** Its directory below the plugin's; the same for all pods that have the disk. */
  readonly place: string;
  /** Empty where the volume does not say. */
  readonly fsType: string;
  readonly readOnly: boolean;
  /** Gets the disk onto the node, with what is needed to undo that noted in `directory` before. */
  attach(directory: string, signal: AbortSignal): Promise<VolumeOutcome<string>>;
}

export interface DiskConnector {
  readonly plugin: string;
  readonly source: VolumeSource;
  /** Whether mounted ones are reported in use, as upstream has it. */
  readonly isMeasured: boolean;
  /** What the volume asks for; refused in the words of upstream. */
  read(request: VolumeRequest): Promise<VolumeOutcome<WantedDisk>>;
  /**
   * Takes the disk of a place off the node, and from `directory` what `attach`
   * noted there. Nothing is mounted from it any more. Nothing there is
   * success; rejects with AgentError.
   */
  detach(place: string, directory: string, signal?: AbortSignal): Promise<void>;
}
