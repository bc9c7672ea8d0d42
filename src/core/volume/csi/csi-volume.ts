/**
 * A volume of a storage driver, whether it is written out in the pod or
 * stands behind a claim.
 */

import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import type { StringMap } from '../../api/meta.ts';
import type { SecretReference } from '../../api/persistent-volume.ts';
import type { Pod } from '../../api/pod.ts';
import type { CsiLifecycleMode } from '../../api/storage.ts';
import type { Volume } from '../../api/volume.ts';
import { renderContextOption } from '../mount-context.ts';
import { type PersistentSource, toMountOptions } from '../resolved-volume.ts';

export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
  /** Names its place on disk. */
  readonly innerName: string;
  readonly lifecycle: CsiLifecycleMode;
  readonly readOnly: boolean;
  /** Empty when not set. */
  readonly fsType: string;
  readonly attributes: StringMap;
  /** Undefined for a volume of the pod itself. */
  readonly accessModes: readonly string[] | undefined;
  readonly mountOptions: readonly string[];
  /** The SELinux label it is mounted with; its files need none then. */
  readonly mountContext?: string;
  readonly secrets: {
    readonly stage?: SecretReference;
    readonly publish?: SecretReference;
    readonly expand?: SecretReference;
  };
}

/** `inlineHandle` is what a volume of the pod itself is called. */
export function toCsiVolume(
  pod: Pod,
  volume: Volume,
  persistent: PersistentSource | undefined,
  inlineHandle: string,
): Outcome<CsiVolume> {
  return persistent === undefined ? toInline(pod, volume, inlineHandle) : toPersistent(persistent);
}

function toInline({ metadata }: Pod, { name, csi }: Volume, handle: string): Outcome<CsiVolume> {
  if (csi === undefined) return refuse('failed to get CSI source: it has none');
  const secret = csi.nodePublishSecretRef?.name;
  return accept({
    driver: csi.driver,
    handle,
    innerName: name,
    lifecycle: 'Ephemeral',
    readOnly: csi.readOnly === true,
    fsType: csi.fsType ?? '',
    attributes: csi.volumeAttributes ?? {},
    accessModes: undefined,
    mountOptions: [],
    // The pod's own namespace: a pod cannot reach into another one.
    secrets: secret === undefined ? {} : { publish: { name: secret, namespace: metadata.namespace } },
  });
}

function toPersistent({ volume, readOnly }: PersistentSource): Outcome<CsiVolume> {
  const { csi, accessModes = [] } = volume.spec;
  if (csi === undefined) return refuse('failed to get CSI source: it has none');
  const { nodeStageSecretRef, nodePublishSecretRef, nodeExpandSecretRef } = csi;
  return accept({
    driver: csi.driver,
    handle: csi.volumeHandle,
    innerName: volume.metadata.name,
    lifecycle: 'Persistent',
    readOnly,
    fsType: csi.fsType ?? '',
    attributes: csi.volumeAttributes ?? {},
    accessModes,
    mountOptions: toMountOptions(volume),
    secrets: {
      ...(nodeStageSecretRef === undefined ? {} : { stage: nodeStageSecretRef }),
      ...(nodePublishSecretRef === undefined ? {} : { publish: nodePublishSecretRef }),
      ...(nodeExpandSecretRef === undefined ? {} : { expand: nodeExpandSecretRef }),
    },
  });
}

/** The volume mounted with one label for all its files. */
export function withMountContext(volume: CsiVolume, label: string | undefined): CsiVolume {
  if (label === undefined) return volume;
  return {
    ...volume,
    mountContext: label,
    mountOptions: [...volume.mountOptions, renderContextOption(label)],
  };
}
