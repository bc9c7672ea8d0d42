/**
 * The kind of a volume, and the message about kinds that cannot be set up:
 * removed upstream, switched off permanently, or not implemented.
 */

import { quote } from '../../base/text/quote.ts';
import type { PersistentVolumeSources } from '../api/persistent-volume.ts';
import type { Volume } from '../api/volume.ts';

export type VolumeSource = Exclude<keyof Volume, 'name'> | keyof PersistentVolumeSources;

/** In upstream's events of these the place follows the failure. */
export const GROWING_MOUNT = 'MountVolume.Setup failed while expanding volume';
export const GROWING_MAP = 'MapVolume.MarkVolumeAsMounted failed while expanding volume';

/** The stage a volume reached, in the words that upstream's events begin with. */
export type MountStage =
  | `MountVolume.${
      | 'NodeAffinity check'
      | 'NewMounter initialization'
      | 'MountOptionSupport check'
      | 'WaitForAttach'
      | 'MountDevice'
      | 'SetUp'}`
  | typeof GROWING_MOUNT
  | `MapVolume.${
      | 'NodeAffinity check'
      | 'NewBlockVolumeMapper initialization'
      | 'WaitForAttach'
      | 'SetUpDevice'
      | 'MapPodDevice'
      | 'MapBlockVolume'}`
  | typeof GROWING_MAP;

/** Why a volume is not available; `process` before any driver is called. */
export interface VolumeProblem {
  readonly stage: 'process' | MountStage;
  readonly message: string;
  /** The node has reached its volume limit: the pod cannot run here. */
  readonly isOverLimit?: true | undefined;
}

/** A volume that could not be set up. */
export interface FailedVolume extends VolumeProblem {
  /** As the pod names it. */
  readonly volume: string;
  readonly innerName: string;
}

/** No plugin has served these for years. */
const REMOVED: ReadonlySet<string> = new Set([
  'glusterfs',
  'cephfs',
  'rbd',
  'flocker',
  'quobyte',
  'photonPersistentDisk',
  'scaleIO',
  'storageos',
]);

/** What a persistent volume has beside its source. */
const NO_SOURCES: ReadonlySet<string> = new Set([
  'name',
  'capacity',
  'accessModes',
  'volumeMode',
  'mountOptions',
  'storageClassName',
  'volumeAttributesClassName',
  'persistentVolumeReclaimPolicy',
  'claimRef',
  'nodeAffinity',
]);

/** Upstream's words for a kind that is there but may not be used. */
export const GIT_REPO_DISABLED =
  'git-repo volume plugin has been disabled; if necessary, it may be re-enabled by enabling the feature-gate `GitRepoVolumeDriver`';

/** Of a pod's volume or of the `spec` of a persistent one; undefined for one without any source. */
export function sourceOf(volume: Volume | PersistentVolumeSources): VolumeSource | undefined {
  const found = Object.entries(volume).find(([key, value]) => !NO_SOURCES.has(key) && value !== undefined);
  return found?.[0] as VolumeSource | undefined;
}

/** The sentence for a volume that no driver serves. */
export function toUnsupported(name: string, source: VolumeSource | undefined): VolumeProblem {
  // A flexVolume without its driver counts as removed.
  if (source === undefined || source === 'flexVolume' || REMOVED.has(source)) {
    const message = `failed to get Plugin from volumeSpec for volume ${quote(name)} err=no volume plugin matched`;
    return { stage: 'process', message };
  }
  const stage = 'MountVolume.SetUp';
  if (source === 'gitRepo') return { stage, message: GIT_REPO_DISABLED };
  return { stage, message: `this kubelet cannot mount volumes of type ${source} yet` };
}

/** The event of a volume that a driver could not set up. */
export function renderMountEvent(
  innerName: string,
  stage: MountStage,
  message: string,
): { readonly reason: string; readonly message: string } {
  const isMap = stage.startsWith('MapVolume.') && stage !== 'MapVolume.NodeAffinity check';
  const prefix = stage === GROWING_MOUNT || stage === GROWING_MAP ? stage : `${stage} failed`;
  return {
    reason: isMap ? 'FailedMapVolume' : 'FailedMount',
    message: `${prefix} for volume ${quote(innerName)} : ${message}`,
  };
}

/** The event of all volumes of a pod for which no driver was called; names as the pod has them. */
export function renderProcessEvent(
  unmounted: readonly string[],
  problems: readonly { readonly volume: string; readonly message: string }[],
): string {
  const messages = [...new Set(problems.map(({ message }) => message))].sort().join('; ');
  const failed = problems.map(({ volume }) => volume);
  return `Unable to attach or mount volumes: ${renderLists(unmounted, [], failed)}: ${messages}`;
}

/** Why a pod must fail because the node is over its volume limit; undefined when it may wait. Names as the pod has them. */
export function toLimitRejection(
  unmounted: readonly string[],
  problems: readonly FailedVolume[],
): { readonly reason: string; readonly message: string } | undefined {
  if (!problems.some(({ isOverLimit }) => isOverLimit === true)) return undefined;
  const namesAt = (...stages: readonly string[]): string[] =>
    problems.filter(({ stage }) => stages.includes(stage)).map(({ volume }) => volume);
  const unattached = namesAt('MountVolume.WaitForAttach', 'MapVolume.WaitForAttach');
  const lists = renderLists(unmounted, unattached, namesAt('process'));
  return {
    reason: 'VolumeAttachmentLimitExceeded',
    message: `Node has reached its volume attachment limit, rejecting pod. ${lists}: context deadline exceeded`,
  };
}

function renderLists(
  unmounted: readonly string[],
  unattached: readonly string[],
  failed: readonly string[],
): string {
  const list = (names: readonly string[]): string => `[${names.toSorted().join(' ')}]`;
  return `unmounted volumes=${list(unmounted)}, unattached volumes=${list(unattached)}, failed to process volumes=${list(failed)}`;
}
