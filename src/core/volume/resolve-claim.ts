/**
 * From a pod's volume to the claim it names, and from a claim to its bound
 * volume. Problems are reported in upstream's words; such a volume is not set
 * up, and retried later.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../api/persistent-volume.ts';
import type { Pod } from '../api/pod.ts';
import type { Volume } from '../api/volume.ts';
import { allContainersOf } from '../model/pod-containers.ts';
import type { ResolvedVolume } from './resolved-volume.ts';
import { sourceOf } from './volume-source.ts';

const PROTECTION = 'kubernetes.io/pvc-protection';

export interface ClaimName {
  readonly namespace: string;
  readonly name: string;
  readonly readOnly: boolean;
  /** Made for this pod: it must belong to it. */
  readonly isEphemeral: boolean;
}

/** Undefined when the volume needs no claim. */
export function toClaimName({ metadata }: Pod, volume: Volume): ClaimName | undefined {
  const { namespace } = metadata;
  const { persistentVolumeClaim, ephemeral, name } = volume;
  if (persistentVolumeClaim !== undefined) {
    const { claimName, readOnly = false } = persistentVolumeClaim;
    return { namespace, name: claimName, readOnly, isEphemeral: false };
  }
  if (ephemeral === undefined) return undefined;
  return { namespace, name: `${metadata.name}-${name}`, readOnly: false, isEphemeral: true };
}

/** The name of the volume that the claim is bound to. */
export function toBoundVolumeName(
  pod: Pod,
  wanted: ClaimName,
  { metadata, spec, status }: PersistentVolumeClaim,
): Outcome<string> {
  const isGoing = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(PROTECTION);
  if (isGoing) return refuseClaim(wanted, 'PVC is being deleted');
  if (status?.phase !== 'Bound') return refuseClaim(wanted, 'PVC is not bound');
  if (!spec.volumeName) return refuseClaim(wanted, 'PVC has empty pvc.Spec.VolumeName');
  if (wanted.isEphemeral && !isOwner(pod, metadata.ownerReferences ?? [])) {
    const place = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const claim = `${wanted.namespace}/${wanted.name}`;
    return refuse(`PVC ${claim} was not created for pod ${place} (pod is not owner)`);
  }
  return accept(spec.volumeName);
}

/** The claim's volume as the pod may have it. */
export function toPersistentVolume(
  pod: Pod,
  volume: Volume,
  wanted: ClaimName,
  claim: PersistentVolumeClaim,
  found: PersistentVolume,
): Outcome<ResolvedVolume> {
  const { claimRef, volumeMode: mode } = found.spec;
  const { name } = found.metadata;
  if (claimRef === undefined)
    return refuseClaim(
      wanted,
      `found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
    );
  if (claimRef.uid !== claim.metadata.uid)
    return refuseClaim(
      wanted,
      `found PV object ${name} but its pv.Spec.ClaimRef.UID ${claimRef.uid ?? ''} does not point to claim.UID ${claim.metadata.uid ?? ''}`,
    );
  if (mode === undefined) return refuse(`cannot get volumeMode for volume: ${name}`);
  const has = (kind: 'volumeMounts' | 'volumeDevices'): boolean =>
    allContainersOf(pod).some((container) => container[kind]?.some((use) => use.name === volume.name));
  const asked = `volume ${volume.name} has volumeMode ${mode}, but is specified in`;
  if (mode !== 'Filesystem' && has('volumeMounts')) return refuse(`${asked} volumeMounts`);
  if (mode !== 'Block' && has('volumeDevices')) return refuse(`${asked} volumeDevices`);
  return accept({
    volume,
    innerName: name,
    source: sourceOf(found.spec),
    persistent: { volume: found, claim, readOnly: wanted.readOnly, mode },
  });
}

/** A refusal that names the claim. */
export function refuseClaim({ namespace, name }: ClaimName, why: string): Outcome<never> {
  return refuse(`error processing PVC ${namespace}/${name}: ${why}`);
}

function isOwner(
  pod: Pod,
  owners: readonly { readonly uid: string; readonly controller?: boolean }[],
): boolean {
  return owners.some(({ uid, controller }) => controller === true && uid === pod.metadata.uid);
}
