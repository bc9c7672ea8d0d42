/** What a volume that grew, or could not, shows on its claim and in events; the same for every kind of volume. */
import { quote } from '../../../base/text/quote.ts';
import type { PersistentVolumeClaim } from '../../../core/api/persistent-volume.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../../ports/cluster/api-server.ts';
import type { VolumeRequest } from '../../../ports/storage/volume-driver.ts';

export type ClaimApi = Pick<ApiServer, 'patch'>;

/** Resolves to the claim as it is then. Rejects with AgentError. */
export function writeClaimStatus(
  api: ClaimApi,
  { metadata: { name, namespace } }: PersistentVolumeClaim,
  change: object,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const ref = { resource: PERSISTENT_VOLUME_CLAIMS, namespace, name };
  return api.patch(ref, change, { kind: 'merge', subresource: 'status', signal });
}

export function reportGrown({ name, inform, informClaim }: VolumeRequest, nodeName: string): void {
  const reason = 'FileSystemResizeSuccessful';
  const message = `MountVolume.NodeExpandVolume succeeded for volume ${quote(name)} ${nodeName}`;
  inform?.(reason, message);
  informClaim?.('Normal', reason, message);
}

/** Of a volume in use, which goes on working with the size it has. */
export function warnNotGrown({ name, warn }: VolumeRequest, why: string): void {
  const failed = 'NodeExpandVolume.NodeExpandVolume failed for volume';
  warn('VolumeResizeFailed', `${failed} ${quote(name)} : ${why}`);
}

/** The file system of a read-only mount cannot be expanded. */
export function warnReadOnly({ name, warn, informClaim }: VolumeRequest): void {
  const reason = 'FileSystemResizeFailed';
  const message = `MountVolume.NodeExpandVolume failed for volume ${quote(name)} requested read-only file system`;
  warn(reason, message);
  informClaim?.('Warning', reason, message);
}
