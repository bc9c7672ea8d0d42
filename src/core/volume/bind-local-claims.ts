/**
 * Which PersistentVolume a claim from a manifest file has: the one that both sides agree on. Explicit only, and
 * made of nothing but the objects themselves, so that it is the same after every restart. A volume that two
 * claims name is bound to neither.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../api/persistent-volume.ts';

export interface BoundClaims {
  /** By `namespace/name`; those without a volume are `Pending`. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  /** By name; the bound ones point to their claim. */
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
}

export function bindLocalClaims(
  claims: readonly PersistentVolumeClaim[],
  volumes: readonly PersistentVolume[],
): BoundClaims {
  const bound = new Map<string, PersistentVolumeClaim>();
  const pointing = new Map(volumes.map((volume) => [volume.metadata.name, volume]));
  for (const claim of claims) {
    const matching = volumes.filter((volume) => belong(claim, volume));
    const [volume] = matching;
    const rivals = volume === undefined ? [] : claims.filter((other) => belong(other, volume));
    const isBound = volume !== undefined && matching.length === 1 && rivals.length === 1;
    const { namespace, name } = claim.metadata;
    const uid = `local/${namespace}/${name}`;
    const metadata = { ...claim.metadata, uid };
    if (!isBound) {
      bound.set(`${namespace}/${name}`, { ...claim, metadata, status: { phase: 'Pending' } });
      continue;
    }
    const spec = { ...claim.spec, volumeName: volume.metadata.name };
    const capacity = volume.spec.capacity ?? {};
    bound.set(`${namespace}/${name}`, { ...claim, metadata, spec, status: { phase: 'Bound', capacity } });
    pointing.set(volume.metadata.name, {
      ...volume,
      spec: { ...volume.spec, claimRef: { namespace, name, uid } },
    });
  }
  return { claims: bound, volumes: pointing };
}

/** One names the other, and neither names something else. */
function belong({ metadata, spec }: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { claimRef, accessModes = [], volumeMode = 'Filesystem' } = volume.spec;
  const namesVolume = spec.volumeName !== undefined && spec.volumeName !== '';
  if (namesVolume && spec.volumeName !== volume.metadata.name) return false;
  const { name, namespace = 'default' } = claimRef ?? {};
  if (claimRef !== undefined && (name !== metadata.name || namespace !== metadata.namespace)) return false;
  if (!namesVolume && claimRef === undefined) return false;
  const hasModes = (spec.accessModes ?? []).every((mode) => accessModes.includes(mode));
  return hasModes && (spec.volumeMode ?? 'Filesystem') === volumeMode;
}
