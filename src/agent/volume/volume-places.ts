/**
 * Every volume of a pod that has a place on disk, of any driver. Only names
 * are read: a dead network mount must not be looked at.
 */
import { AgentError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { volumeDevicesDirectory, volumesDirectory } from '../../core/model/pod-paths.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Mounter } from '../../ports/host/mounter.ts';
import type { VolumeDriver, VolumeDriverFamily, VolumePlace } from '../../ports/storage/volume-driver.ts';

export interface VolumePlaceParts {
  readonly files: HostFiles;
  readonly mounter: Mounter;
  readonly drivers: readonly VolumeDriver[];
  readonly flexDrivers: VolumeDriverFamily | undefined;
  readonly node: Pick<NodeProfile, 'rootDir'>;
  readonly logger: Logger;
}

export interface FoundPlace {
  readonly place: VolumePlace;
  readonly remove: (place: VolumePlace, signal?: AbortSignal) => Promise<void>;
}

/** Rejects with AgentError when something is mounted that no driver can unmount. */
export async function findVolumePlaces(parts: VolumePlaceParts, podUid: PodUid): Promise<FoundPlace[]> {
  const { node } = parts;
  const volumes = await findBelow(parts, podUid, volumesDirectory(node.rootDir, podUid), (driver) =>
    driver.unmount.bind(driver),
  );
  const devices = await findBelow(parts, podUid, volumeDevicesDirectory(node.rootDir, podUid), ({ block }) =>
    block?.unmap.bind(block),
  );
  return [...volumes, ...devices];
}

async function findBelow(
  { files, drivers, flexDrivers, mounter, logger }: VolumePlaceParts,
  podUid: PodUid,
  base: string,
  removerOf: (driver: VolumeDriver) => FoundPlace['remove'] | undefined,
): Promise<FoundPlace[]> {
  const places: FoundPlace[] = [];
  for (const escaped of await files.listDirectory(base)) {
    const driver =
      drivers.find(({ plugin }) => plugin.replaceAll('/', '~') === escaped) ??
      (await flexDrivers?.find(escaped.replaceAll('~', '/')));
    const remove = driver === undefined ? undefined : removerOf(driver);
    for (const name of await files.listDirectory(`${base}/${escaped}`)) {
      const directory = `${base}/${escaped}/${name}`;
      if (remove !== undefined) {
        places.push({ place: { podUid, name, directory }, remove });
        continue;
      }
      const plugin = escaped.replace('~', '/');
      if ((await mounter.mountsBelow(directory)).length > 0) throw refuse('unmount', directory, plugin);
      // Its driver is unknown: perhaps data that a driver keeps for the next pod.
      if (await holdsData(files, directory)) throw refuse('remove', directory, plugin);
      logger.warn('removing an empty volume of an unknown type with its pod', { volume: directory });
    }
  }
  return places;
}

/** A file, or a directory with anything in it. */
async function holdsData(files: HostFiles, path: string): Promise<boolean> {
  try {
    return (await files.listDirectory(path)).length > 0;
  } catch {
    return true;
  }
}

function refuse(action: string, directory: string, plugin: string): AgentError {
  const message = `cannot ${action} "${directory}": no volume plugin matched name: ${plugin}`;
  return new AgentError('failed-precondition', message, { retryable: true });
}
