/** What volumes are made with: a driver for each type, those of storage drivers in a cluster, flexVolume programs. */
import { FlexDrivers } from '../../adapters/volume/flex/flex-drivers.ts';
import { LinuxSubPathBinder } from '../../adapters/volume/sub-path-binder.ts';
import { createVolumeDrivers } from '../../adapters/volume/volume-drivers.ts';
import type { HostPorts } from '../../agent/agent-ports.ts';
import type { StoragePorts } from '../../agent/volume/storage-ports.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { Meters } from '../metrics/meters.ts';
import type { ClusterConnection } from './cluster.ts';
import type { CsiWiring } from './csi.ts';
import type { Foundation } from './foundation.ts';
import type { ObjectWiring } from './objects.ts';

export interface StorageParts {
  readonly node: NodeProfile;
  readonly host: HostPorts;
  readonly objects: ObjectWiring;
  readonly connection: ClusterConnection | undefined;
  readonly csi: CsiWiring | undefined;
  readonly meters: Meters;
}

export function wireStorage({ loaded, clock, logger }: Foundation, parts: StorageParts): StoragePorts {
  const { node, host, objects, connection, csi, meters } = parts;
  const { files, mounter } = host;
  const { enableControllerAttachDetach, volumePluginDir } = loaded.config;
  const attachments = enableControllerAttachDetach ? csi?.volumes : undefined;
  const credentials = connection?.credentials;
  const { ports, claims, readSecret } = objects;
  const kit = { clock, logger };
  const claimApi = connection?.client.api;
  const shared = { ...ports, kit, readSecret, mounter, files, node, attachments, credentials, claimApi };
  const drivers = [...createVolumeDrivers(shared), csi?.driver].filter((driver) => driver !== undefined);
  return {
    drivers: drivers.map((driver) => meters.calls.volumes(driver)),
    flexDrivers: meters.calls.volumeFamily(new FlexDrivers({ ...shared, directory: volumePluginDir })),
    subPaths: new LinuxSubPathBinder({ mounter, logger }),
    claims,
    credentials,
    attachments,
  };
}
