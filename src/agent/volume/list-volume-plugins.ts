/** The plugins behind the volumes of all pods, for metrics. */
import type { Volume } from '../../core/api/volume.ts';
import { toInlineVolume } from '../../core/volume/resolved-volume.ts';
import { toUsedVolumes } from '../../core/volume/used-volumes.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';
import type { PodVolumes } from './pod-volumes.ts';

export interface VolumePlugins {
  /** Of all volumes that pods want; undefined is not known yet. */
  readonly wanted: readonly (string | undefined)[];
  /** Of those that are set up. */
  readonly ready: readonly string[];
}

export function listVolumePlugins(
  states: readonly PodVolumes[],
  drivers: readonly VolumeDriver[],
): VolumePlugins {
  // A claim has no plugin: the volume behind it is not known before the claim is read.
  const pluginOf = (volume: Volume): string | undefined => {
    const { source } = toInlineVolume(volume);
    return drivers.find((driver) => driver.source === source)?.plugin;
  };
  return {
    wanted: states
      .filter(({ work }) => !work.signal.aborted)
      .flatMap(({ pod, volumes }) =>
        toUsedVolumes(pod).map((volume) => volumes.get(volume.name)?.plugin ?? pluginOf(volume)),
      ),
    ready: states.flatMap(({ volumes }) => [...volumes.values()].map(({ plugin }) => plugin)),
  };
}
