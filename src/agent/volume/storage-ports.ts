/** What volumes are made with. */
import type { ClaimReader } from '../../ports/claim-reader.ts';
import type { ProjectedCredentials } from '../../ports/projected-credentials.ts';
import type { PodAttachments } from '../../ports/volume-attachments.ts';
import type { SubPathBinder, VolumeDriver, VolumeDriverFamily } from '../../ports/volume-driver.ts';

export interface StoragePorts {
  readonly drivers: readonly VolumeDriver[];
  readonly flexDrivers: VolumeDriverFamily | undefined;
  readonly subPaths: SubPathBinder;
  readonly claims: ClaimReader;
  readonly credentials: Pick<ProjectedCredentials, 'subscribe'> | undefined;
  /** Undefined where volumes are not attached to the node. */
  readonly attachments: PodAttachments | undefined;
}
