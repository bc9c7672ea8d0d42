/**
 * What kind a volume is of, and what to say about kinds that cannot be set
 * up: removed upstream, switched off for good, or not written yet.
 */
import type { Volume } from '../api/volume.ts';
import { quote } from '../spec/quote.ts';

export type VolumeSource = Exclude<keyof Volume, 'name'>;

/** Why a volume cannot be had: `process` before any driver is asked, `set-up` in the words of a driver. */
export interface UnsupportedVolume {
  readonly stage: 'process' | 'set-up';
  readonly message: string;
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
const GIT_REPO_DISABLED =
  'git-repo volume plugin has been disabled; if necessary, it may be re-enabled by enabling the feature-gate `GitRepoVolumeDriver`';

/** Undefined for a volume without any source. */
export function sourceOf(volume: Volume): VolumeSource | undefined {
  const { name: _name, ...sources } = volume;
  return (Object.keys(sources) as VolumeSource[]).find((key) => volume[key] !== undefined);
}

/** The sentence for a volume that no driver serves. */
export function toUnsupported(volume: Volume): UnsupportedVolume {
  const source = sourceOf(volume);
  if (source === undefined || REMOVED.has(source)) {
    const message = `failed to get Plugin from volumeSpec for volume ${quote(volume.name)} err=no volume plugin matched`;
    return { stage: 'process', message };
  }
  if (source === 'gitRepo') return { stage: 'set-up', message: GIT_REPO_DISABLED };
  return { stage: 'set-up', message: `this kubelet cannot mount volumes of type ${source} yet` };
}

/** The event's text: upstream words it by how far the volume came. */
export function renderMountEvent(volume: string, { stage, message }: UnsupportedVolume): string {
  if (stage === 'set-up') return `MountVolume.SetUp failed for volume ${quote(volume)} : ${message}`;
  const lists = `unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[${volume}]`;
  return `Unable to attach or mount volumes: ${lists}: ${message}`;
}
