/**
 * Devices of a container: those plugins handed out, then block volumes.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { Container } from '../api/pod.ts';
import type { ContainerConfig } from '../model/container-config.ts';

export type AllocatedDevice = ContainerConfig['devices'][number];

/** A block volume of the pod; `hostPath` is absent while its link does not exist. */
export interface PreparedBlockVolume {
  readonly hostPath?: string;
  readonly readOnly: boolean;
}

export function toDevices(
  container: Container,
  allocated: readonly AllocatedDevice[],
  blockVolumes: ReadonlyMap<string, PreparedBlockVolume>,
): Outcome<AllocatedDevice[]> {
  const devices = [...allocated];
  for (const { name, devicePath } of container.volumeDevices ?? []) {
    if (!devicePath.startsWith('/')) {
      return refuse(`error DevicePath \`${devicePath}\` must be an absolute path`);
    }
    if (devicePath.split('/').includes('..')) {
      return refuse(`error DevicePath \`${devicePath}\` must not contain '..'`);
    }
    const volume = blockVolumes.get(name);
    if (volume === undefined) {
      return refuse(`cannot find volume ${quote(name)} to pass into container ${quote(container.name)}`);
    }
    if (volume.hostPath === undefined) continue;
    const permissions = volume.readOnly ? 'r' : 'mrw';
    devices.push({ containerPath: devicePath, hostPath: volume.hostPath, permissions });
  }
  return accept(devices);
}
