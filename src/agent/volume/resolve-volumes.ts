/**
 * Looks up the claims that a pod's volumes name and the persistent volumes
 * behind them. One persistent volume is set up once, by however many names
 * the pod has it.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { Volume } from '../../core/api/volume.ts';
import { toMigratedInline, toMigratedVolume } from '../../core/volume/migrate-volume.ts';
import {
  refuseClaim,
  toBoundVolumeName,
  toClaimName,
  toPersistentVolume,
} from '../../core/volume/resolve-claim.ts';
import {
  type PersistentSource,
  type ResolvedVolume,
  toInlineVolume,
} from '../../core/volume/resolved-volume.ts';
import type { FailedVolume } from '../../core/volume/volume-source.ts';
import type { ClaimReader } from '../../ports/cluster/claim-reader.ts';

/** Never empty: volumes of the pod that are one and the same. */
export type VolumeGroup = readonly [ResolvedVolume, ...ResolvedVolume[]];

export interface ResolvedVolumes {
  readonly found: readonly VolumeGroup[];
  readonly problems: readonly FailedVolume[];
}

export async function resolveVolumes(
  claims: ClaimReader,
  pod: Pod,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<ResolvedVolumes> {
  const answers = await Promise.all(volumes.map((volume) => resolveVolume(claims, pod, volume, signal)));
  const found = new Map<string, VolumeGroup>();
  const problems: FailedVolume[] = [];
  for (const [index, answer] of answers.entries()) {
    const name = volumes[index]?.name ?? '';
    if (!answer.ok) {
      problems.push({ volume: name, innerName: name, stage: 'process', message: answer.message });
      continue;
    }
    const resolved = answer.value;
    const key = resolved.persistent === undefined ? `pod/${name}` : `claimed/${resolved.innerName}`;
    const group = found.get(key);
    found.set(key, group === undefined ? [resolved] : [...group, resolved]);
  }
  return { found: [...found.values()], problems };
}

async function resolveVolume(
  claims: ClaimReader,
  pod: Pod,
  volume: Volume,
  signal: AbortSignal,
): Promise<Outcome<ResolvedVolume>> {
  const wanted = toClaimName(pod, volume);
  if (wanted === undefined) return resolveInline(pod, volume);
  const claim = await claims.claim(wanted.namespace, wanted.name, signal);
  if (signal.aborted) return refuse('cancelled');
  if (claim.kind === 'failed')
    return refuseClaim(wanted, `failed to fetch PVC from API server: ${claim.message}`);
  const name = toBoundVolumeName(pod, wanted, claim.object);
  if (!name.ok) return name;
  const bound = await claims.persistentVolume(name.value, signal);
  if (bound.kind === 'failed')
    return refuseClaim(wanted, `failed to fetch PV ${name.value} from API server: ${bound.message}`);
  const migrated = toMigratedVolume(bound.object);
  if (migrated?.ok === false) return migrated;
  return toPersistentVolume(pod, volume, wanted, claim.object, migrated?.value ?? bound.object);
}

/** A disk of a cloud counts as a persistent volume, with a claim that is never asked for. */
function resolveInline({ metadata }: Pod, volume: Volume): Outcome<ResolvedVolume> {
  const made = toMigratedInline(volume, metadata.namespace);
  if (made === undefined) return accept(toInlineVolume(volume));
  if (!made.ok) return made;
  const claim = { metadata: { name: '', namespace: metadata.namespace }, spec: {} };
  const readOnly = made.value.spec.csi?.readOnly ?? false;
  const persistent: PersistentSource = { volume: made.value, claim, readOnly, mode: 'Filesystem' };
  return accept({ volume, innerName: made.value.metadata.name, source: 'csi', persistent });
}
