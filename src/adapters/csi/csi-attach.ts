/**
 * Before a persistent volume is touched it has to be attached to the node,
 * unless its driver needs no attachment. The node first reports the volume in
 * use, and keeps reporting it until nothing of it is left.
 */

import { accept, refuse } from '../../base/outcome.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { CsiDriverSpec } from '../../core/api/storage.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { isNodeFull, needsAttach } from '../../core/volume/csi/csi-driver-rules.ts';
import type { CsiVolume } from '../../core/volume/csi/csi-volume.ts';
import type { VolumeAttachments } from '../../ports/storage/volume-attachments.ts';
import type { VolumeOutcome, VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { attachmentName, uniqueVolumeName } from './csi-paths.ts';
import { type CsiReadParts, peekAttachment, readAttachment } from './csi-reads.ts';

export interface CsiAttachment {
  readonly attachments: VolumeAttachments;
  /** Whether the controller attaches volumes to the node; the kubelet itself cannot. */
  readonly controllerAttaches: boolean;
  /** The attacher reports that the node has no room for more volumes of the driver. */
  readonly onNodeFull?: (driver: string) => void;
}

export interface CsiAttachParts {
  readonly cluster: CsiReadParts;
  readonly attach: CsiAttachment;
  readonly node: Pick<NodeProfile, 'rootDir' | 'nodeName'>;
}

/** The attacher's metadata for the driver; empty for a volume that needs no attachment. Rejects when `signal` aborts. */
export async function waitForAttach(
  parts: CsiAttachParts,
  { podUid, signal }: VolumeRequest,
  volume: CsiVolume,
  driver: CsiDriverSpec | undefined,
): Promise<VolumeOutcome<StringMap>> {
  if (volume.lifecycle === 'Ephemeral' || !needsAttach(driver)) return accept({});
  const { cluster, attach, node } = parts;
  const { attachments, controllerAttaches } = attach;
  if (!controllerAttaches) return refuse('attaching volumes from the kubelet is not supported');
  const name = uniqueVolumeName(volume.driver, volume.handle);
  const object = attachmentName(volume.handle, volume.driver, node.nodeName);
  attachments.hold(name, podUid);
  if (!(await attachments.whenAttached(name, signal))) {
    signal.throwIfAborted();
    const refusal = refuse('Volume not attached according to node status');
    if (!isNodeFull(driver, await peekAttachment(cluster, object, signal))) return refusal;
    attach.onNodeFull?.(volume.driver);
    return { ...refusal, isOverLimit: true };
  }
  return readAttachment(cluster, volume.handle, object, signal);
}
