/** What volumes are made with. */
import type { ClaimReader } from '../../ports/cluster/claim-reader.ts';
import type { ProjectedCredentials } from '../../ports/cluster/projected-credentials.ts';
import type { PodAttachments } from '../../ports/storage/volume-attachments.ts';
import type { SubPathBinder, VolumeDriver, VolumeDriverFamily } from '../../ports/storage/volume-driver.ts';

export interface StoragePorts {
  readonly drivers: readonly VolumeDriver[];
  readonly flexDrivers: VolumeDriverFamily | undefined;
  readonly subPaths: SubPathBinder;
  readonly claims: ClaimReader;
  readonly credentials: Pick<ProjectedCredentials, 'subscribe'> | undefined;
  /** Undefined where volumes are not attached to the node. */
  readonly attachments: PodAttachments | undefined;
}
